#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "apps/translation/subwords/subword_sampler.h"
#include "apps/translation/subwords/subwords.h"
#include "autograd/index.h"

namespace regard::translation {

/// The sentences of a training corpus, to be cut into other subwords in each epoch.
class SubwordRegularisation {
 public:
  /// `corpus` is what encode() made of `text`. Throws Error as make_subword_sampler does.
  SubwordRegularisation(const ParallelText& text, const ParallelCorpus& corpus,
                        const SubwordTokeniser& tokeniser, const SubwordSettings& settings);

  /// `plain`, the corpus that this was made from, with both sides of each pair cut at random. Depends on
  /// nothing but seed, epoch and the line of the pair in the text: not on the other pairs, nor on the number
  /// of threads. A sentence may become longer than data.max_length.
  ParallelCorpus sample(const ParallelCorpus& plain, std::uint64_t seed, Index epoch) const;

 private:
  std::unique_ptr<SubwordSampler> sampler_;
  std::vector<std::string> source_, target_;  ///< normalised, as many as pairs in the corpus
};

/// A training corpus as each epoch sees it.
class EpochCorpus {
 public:
  /// Without regularisation (null), every epoch sees the corpus itself.
  EpochCorpus(const ParallelCorpus& corpus, const SubwordRegularisation* regularisation, std::uint64_t seed)
      : plain_(corpus), regularisation_(regularisation), seed_(seed) {}

  /// Good until the next call.
  const ParallelCorpus& at(Index epoch);

 private:
  const ParallelCorpus& plain_;
  const SubwordRegularisation* regularisation_;
  std::uint64_t seed_;
  ParallelCorpus sampled_;
};

}  // namespace regard::translation
