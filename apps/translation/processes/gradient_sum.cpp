#include "apps/translation/processes/gradient_sum.h"

#include <algorithm>

#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/profile.h"

namespace regard::translation {

namespace {

void set_to_zero(const Tensor& numbers) {
  parallel_for(numbers.size(), block_size(numbers.size(), 1),
               [to = numbers.data()](Index begin, Index end) { std::fill(to + begin, to + end, Real{0}); });
}

}  // namespace

Tensor add_to(const Tensor& left, const Tensor& right) {
  parallel_for(left.size(), block_size(left.size(), 1),
               [to = left.data(), from = right.data()](Index begin, Index end) {
                 for (Index i = begin; i < end; ++i) to[i] += from[i];
               });
  return left;
}

Tensor sum_node(MicroBatchRange node, Index end, const Tensor& gradient, const Processes::Backward& backward,
                std::vector<double>& losses) {
  // x + y and y + x have the same bits. So each sum with the last own micro-batch stays in `gradient`, where
  // the whole sum is wanted.
  const auto leaf = [&](MicroBatchRange range) -> std::optional<Tensor> {
    if (range.end - range.first > 1) return std::nullopt;
    losses.push_back(backward(range.first));
    if (range.end == end) return gradient;
    const Span span("sum_gradients", Span::Kind::other);
    const Tensor copy = gradient.clone();
    set_to_zero(gradient);
    return copy;
  };
  const auto add = [&](const Tensor& left, const Tensor& right) {
    const Span span("sum_gradients", Span::Kind::other);
    return right.is(gradient) ? add_to(right, left) : add_to(left, right);
  };
  return tree_sum<Tensor>(node, leaf, add);
}

double sum_losses(const std::vector<double>& losses) {
  const auto leaf = [&](MicroBatchRange node) {
    return node.end - node.first == 1 ? std::optional(losses[to_size(node.first)]) : std::nullopt;
  };
  return tree_sum<double>({0, to_index(losses.size())}, leaf, std::plus<>());
}

double Processes::sum_gradients(const Tensor& gradient, Index micro_batches, const Backward& backward) {
  std::vector<double> losses;
  sum_node({0, micro_batches}, micro_batches, gradient, backward, losses);
  return sum_losses(losses);
}

}  // namespace regard::translation
