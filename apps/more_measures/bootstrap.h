#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "autograd/machine/real.h"

namespace regard::translation {

struct BootstrapSettings {
  Index samples = 1000;
  std::uint64_t seed = 1;
};

/// A score of a corpus and of its samples.
struct ResampledScore {
  double score = 0;       ///< score of the corpus itself
  double mean = 0;        ///< mean score of the samples
  double half_width = 0;  ///< half the range of the middle 95 % of the samples' scores
};

struct PairedBootstrap {
  ResampledScore system, baseline;
  /// (1 + samples with |d| - mean |d| > |D|) / (1 + samples). D is the difference of the two scores on the
  /// corpus, and d is their difference on a sample. It estimates the probability of a difference such as D
  /// between two systems that are equally good. sacreBLEU and, before it, Moses have the same definition. But
  /// if both outputs have equal scores on every sample, there is no difference, and this is 1; in the other
  /// two programs it is 1 / (1 + samples) then.
  double p_value = 1;
  double system_wins = 0;    ///< share of the samples in which the system has the higher score
  double baseline_wins = 0;  ///< share in which the baseline has the higher score; the rest are ties
};

/// Returns the score of a corpus of these sentences. A sentence may occur several times or not at all.
using SampleScore = std::function<double(std::span<const std::size_t> sentences)>;

/// Paired bootstrap resampling (Koehn 2004, section 3): draws corpora of `sentences` sentences with
/// replacement and scores both outputs on each. The samples depend only on the settings and the number of
/// sentences, not on the scores. Throws Error unless there is at least one sentence and one sample.
PairedBootstrap paired_bootstrap(std::size_t sentences, const SampleScore& system,
                                 const SampleScore& baseline, const BootstrapSettings& settings = {});

/// Makes a SampleScore that applies `score` to the sum of the sentences' counts. `counts` must outlive it.
template <class Counts, class Score>
SampleScore sample_score(const std::vector<Counts>& counts, Score score) {
  return [&counts, score](std::span<const std::size_t> sentences) {
    Counts sum;
    for (const std::size_t i : sentences) sum += counts[i];
    return score(sum);
  };
}

}  // namespace regard::translation
