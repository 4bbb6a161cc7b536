#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "apps/translation/subwords/subword_pieces.h"
#include "autograd/random.h"
#include "autograd/real.h"

namespace regard::translation {

/// Cuts a text into subwords at random. The same text is cut in different ways, so that a model learns that
/// they mean the same.
class SubwordSampler {
 public:
  virtual ~SubwordSampler() = default;

  /// Returns the numbers of the pieces. The text must be the result of SubwordTokeniser::normalise. Unknown
  /// characters next to each other become one <unk>, as in SubwordTokeniser::split.
  virtual std::vector<std::int32_t> sample(std::string_view normalised, Random& random) const = 0;
};

/// Makes the sampler for the model's type, bpe_dropout or unigram_sampler. `sampling` is the probability or
/// alpha. Throws Error for a model of another type and for a piece that is not normal text within a word;
/// with type bpe also for a probability above 1 and for an `n_best` other than -1.
std::unique_ptr<SubwordSampler> make_subword_sampler(const SubwordPieces& pieces, double sampling,
                                                     Index n_best);

}  // namespace regard::translation
