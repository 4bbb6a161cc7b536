#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/subwords/subwords.h"
#include "apps/translation/corpus/corpus.h"
#include "autograd/machine/real.h"

namespace regard::translation {

/// Cuts the sentences of a training corpus into other subwords in each epoch. The same text is cut in
/// different ways, so that a model learns that they mean the same.
class SubwordRegularisation {
 public:
  /// `corpus` is the result of encode() for `text`. The tokeniser must outlive this object. Throws Error for
  /// a model of another type than bpe and unigram; with type bpe also for a probability above 1 and for a
  /// `sampling_n_best` other than -1.
  SubwordRegularisation(const ParallelText& text, const ParallelCorpus& corpus,
                        const SubwordTokeniser& tokeniser, const SubwordSettings& settings,
                        const SentenceLimits& limits = {});

  /// Returns the corpus with both sides of each pair cut at random. `plain` is the corpus given to the
  /// constructor. The cut of a pair depends only on seed, epoch and the line of the pair in the text, not on
  /// the other pairs and not on the number of threads. A sentence may become longer than data.max_length. But
  /// if it has more subwords than the limits allow, it keeps its usual cut in this epoch.
  ParallelCorpus sample(const ParallelCorpus& plain, std::uint64_t seed, Index epoch) const;

 private:
  const SubwordTokeniser& tokeniser_;
  SubwordSettings settings_;
  SentenceLimits limits_;
  std::vector<std::string> source_, target_;  ///< the text of each pair in the corpus
};

}  // namespace regard::translation
