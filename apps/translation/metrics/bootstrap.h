#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "autograd/index.h"

namespace regard::translation {

struct BootstrapSettings {
  Index samples = 1000;
  std::uint64_t seed = 1;
};

/// A corpus score, and what it was on the samples.
struct ResampledScore {
  double score = 0;       ///< of the corpus itself
  double mean = 0;        ///< of the samples
  double half_width = 0;  ///< of the middle 95 % of the samples: half their range
};

struct PairedBootstrap {
  ResampledScore system, baseline;
  /// (1 + samples with |d| - mean |d| > |D|) / (1 + samples), where D is the difference of the two scores on
  /// the corpus and d that on a sample: how probable a difference such as D would be if there were none. So
  /// it is defined in sacreBLEU and, before it, Moses; two outputs that score alike on every sample get
  /// 1 / (1 + samples) there and here.
  double p_value = 1;
  double system_wins = 0;    ///< share of the samples in which the system has the higher score
  double baseline_wins = 0;  ///< and the baseline; the rest are ties
};

/// The score of a corpus of these sentences, of which some come twice or not at all.
using SampleScore = std::function<double(std::span<const std::size_t> sentences)>;

/// Paired bootstrap resampling (Koehn 2004, section 3): draws corpora of `sentences` sentences with
/// replacement and scores both outputs on each. The same settings and number of sentences draw the same
/// samples, whatever the score. Throws Error unless there is a sentence and a sample.
PairedBootstrap paired_bootstrap(std::size_t sentences, const SampleScore& system,
                                 const SampleScore& baseline, const BootstrapSettings& settings = {});

/// The score that `score` computes from the sum of the sentences' counts, which must outlive it.
template <class Counts, class Score>
SampleScore sample_score(const std::vector<Counts>& counts, Score score) {
  return [&counts, score](std::span<const std::size_t> sentences) {
    Counts sum;
    for (const std::size_t i : sentences) sum += counts[i];
    return score(sum);
  };
}

}  // namespace regard::translation
