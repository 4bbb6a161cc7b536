#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/attention.h"
#include "transformer/encoder_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Where the target tokens of a batch looked: the weights of attention, with their gradients. The windows are
/// global, so a token has a weight for each position of its source.
class Looks {
 public:
  explicit Looks(Index tokens) : first_weight_(to_size(tokens)) {}

  /// Keeps what the queries found; query k is the token in packed row rows[k].
  void add(const nn::Attention::Result& found, std::span<const std::int32_t> rows);

  /// The doubly stochastic term (Xu et al. 2015, eq. 14) for the loss, from sums that are 1 if the tokens
  /// look at every position equally much altogether:
  ///   lambda * sum over sources and positions i of (1 - sum over tokens t of alpha_ti)^2
  /// divided by the number of tokens, as the rest of the loss. The source of sequence s has the rows
  /// memory_offsets[s] .. memory_offsets[s + 1], and its target those of target_offsets.
  LossTerm term(Real lambda, const std::vector<Index>& memory_offsets,
                const std::vector<Index>& target_offsets) const;

 private:
  std::vector<Tensor> weights_;      ///< one part for each call of add
  std::vector<Index> first_weight_;  ///< of each token, in the parts one after another
  Index size_ = 0;                   ///< of all parts
};

}}}  // namespace regard::REGARD_PRECISION::transformer
