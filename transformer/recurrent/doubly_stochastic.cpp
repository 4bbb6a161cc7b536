#include "transformer/recurrent/doubly_stochastic.h"

#include "autograd/ops.h"
#include "autograd/ops/scores.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

void Looks::add(const nn::Attention::Result& found, std::span<const std::int32_t> rows) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    first_weight_[to_size(rows[k])] = size_ + found.ranges.offsets[k];
  weights_.push_back(found.weights);
  size_ += found.weights.size();
}

LossTerm Looks::term(Real lambda, const std::vector<Index>& memory_offsets,
                     const std::vector<Index>& target_offsets) const {
  // A weighted sum of ones, with the positions as queries and the tokens as keys, adds the weights of each
  // position. It reads them position by position; they were found token by token.
  KeyRanges ranges = all_keys(segments(memory_offsets, target_offsets));
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i + 1 < memory_offsets.size(); ++i)
    for (Index position = 0; position < memory_offsets[i + 1] - memory_offsets[i]; ++position)
      for (Index token = target_offsets[i]; token < target_offsets[i + 1]; ++token)
        order.push_back(static_cast<std::int32_t>(first_weight_[to_size(token)] + position));
  return [=, weights = weights_, ranges = std::move(ranges), order = std::move(order),
          ones = Tensor::full({target_offsets.back(), 1}, 1)](const Tensor&, Index divide_by) {
    const Tensor sums = weighted_sum(gather(concat(weights, 0), 0, order), ones, ranges);
    const Tensor missing = Tensor::scalar(1) - sums;
    return sum(missing * missing) * (lambda / static_cast<Real>(divide_by));
  };
}

}}}  // namespace regard::REGARD_PRECISION::transformer
