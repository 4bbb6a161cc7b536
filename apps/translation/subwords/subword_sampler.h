#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "apps/translation/subwords/subword_pieces.h"
#include "autograd/index.h"
#include "autograd/random.h"

namespace regard::translation {

/// Cuts a text into subwords at random: the same text in different ways, so that a model learns which of them
/// mean the same.
class SubwordSampler {
 public:
  virtual ~SubwordSampler() = default;

  /// The numbers of the pieces, for a text as SubwordTokeniser::normalise leaves it. Unknown characters next
  /// to each other make one <unk>, as they do in SubwordTokeniser::split.
  virtual std::vector<std::int32_t> sample(std::string_view normalised, Random& random) const = 0;
};

/// One of the two, by the model's type. `sampling` is the probability or alpha. Throws Error for a model of
/// another type, for one whose pieces are not all normal text within words, and with type bpe for a
/// probability above 1 and for `n_best` other than -1.
std::unique_ptr<SubwordSampler> make_subword_sampler(const SubwordPieces& pieces, double sampling,
                                                     Index n_best);

}  // namespace regard::translation
