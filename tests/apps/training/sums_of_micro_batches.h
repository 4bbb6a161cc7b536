#pragma once

#include <cmath>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "autograd/machine/random.h"
#include "tests/catch.h"

// The sum of gradients over micro-batches, compared with its definition.

namespace regard::tests {

/// The definition of the tree, level by level.
template <class Value>
Value sum_by_levels(std::vector<Value> values) {
  for (std::size_t width = 1; width < values.size(); width *= 2)
    for (std::size_t i = 0; i + width < values.size(); i += 2 * width)
      values[i] = values[i] + values[i + width];
  return values.front();
}

/// Random numbers of very different sizes, whose sum depends on the order.
inline std::vector<Real> numbers(Index count, std::uint64_t seed) {
  Random random(seed);
  const Tensor normal = Tensor::normal({count}, 0, 1, random),
               scale = Tensor::uniform({count}, -6, 6, random);
  std::vector<Real> result;
  for (Index i = 0; i < count; ++i) result.push_back(normal.data()[i] * std::pow(Real{10}, scale.data()[i]));
  return result;
}

using Gradients = std::vector<std::vector<Real>>;  ///< of each micro-batch
using Sums = std::pair<std::vector<Real>, double>;

/// Sums one gradient and one loss (a third of its first number) per micro-batch.
inline Sums sums_of(translation::Processes& processes, const Gradients& gradients) {
  const Tensor memory = Tensor::zeros({to_index(gradients.front().size())});
  const double loss = processes.sum_gradients(memory, to_index(gradients.size()), [&](Index micro_batch) {
    const std::vector<Real>& gradient = gradients[to_size(micro_batch)];
    for (std::size_t i = 0; i < gradient.size(); ++i)
      memory.data()[i] += gradient[i];  // as backward() does: it adds
    return static_cast<double>(gradient.front()) / 3;
  });
  return {{memory.values().begin(), memory.values().end()}, loss};
}

/// Checks all results of `sums` for several numbers of micro-batches.
inline void check_sums(const std::function<std::vector<Sums>(const Gradients& gradients)>& sums) {
  bool order_of_losses_matters = false;
  for (const Index micro_batches : {1, 2, 3, 5, 8, 13})
    for (const Index size : {1, 17, 1000}) {
      CAPTURE(micro_batches, size);
      Gradients gradients;
      for (Index micro_batch = 0; micro_batch < micro_batches; ++micro_batch)
        gradients.push_back(numbers(size, static_cast<std::uint64_t>(10 + micro_batch)));
      std::vector<Real> expected, in_order;
      for (Index i = 0; i < size; ++i) {
        std::vector<Real> of_number;
        for (const auto& gradient : gradients) of_number.push_back(gradient[to_size(i)]);
        expected.push_back(sum_by_levels(of_number));
        in_order.push_back(std::accumulate(of_number.begin(), of_number.end(), Real{0}));
      }
      std::vector<double> losses;
      for (const auto& gradient : gradients) losses.push_back(static_cast<double>(gradient.front()) / 3);
      if (micro_batches > 3 && size == 1000) CHECK(in_order != expected);
      order_of_losses_matters |= sum_by_levels(losses) != std::accumulate(losses.begin(), losses.end(), 0.0);
      for (const Sums& sum : sums(gradients)) CHECK(sum == Sums{expected, sum_by_levels(losses)});
    }
  CHECK(order_of_losses_matters);
}

}  // namespace regard::tests
