// Scores of pairs become weights: softmax, sparsemax, relu and sigmoid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/kernels/ranges.h"
#include "autograd/operation.h"
#include "autograd/ops/range_loops.h"
#include "autograd/ops/ranges.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::Ranges;

namespace {

/// Throws Error unless there is a score for each pair, and NotFinite for NaN. Comparisons with NaN are false,
/// so some of the functions below would give it a weight.
void check_scores(const Operation& op, const Tensor& scores, const KeyRanges& ranges) {
  check_pairs(op, "scores", scores, ranges);
  bool has_nan = false;
  for (const Real score : scores.values()) has_nan |= std::isnan(score);
  if (has_nan) throw NotFinite(fmt::format("{}: a score is NaN", op.name()));
}

/// The threshold tau for which sum_j max(0, z_j - tau) = 1: tau = (sum of the support - 1) / (its size),
/// where the support is all z_j above tau (Martins and Astudillo 2016, eq. 4). Each round leaves out the
/// scores that are not above the tau of the scores so far, until none is left out (Michelot 1986), so nothing
/// has to be sorted. Rounding may bring a score back; the rounds end then, too. z_j = scores_j - largest, so
/// that the 1 is not lost beside large scores.
Real sparsemax_threshold(const Real* scores, Index n, Real largest) {
  Real threshold = -std::numeric_limits<Real>::infinity();
  for (Index size = n + 1;;) {
    Real sum = 0;
    Index support = 0;
    for (Index j = 0; j < n; ++j)
      if (const Real z = scores[j] - largest; z > threshold) {
        sum += z;
        ++support;
      }
    if (support >= size) return threshold;
    size = support;
    threshold = (sum - 1) / static_cast<Real>(support);
  }
}

}  // namespace

Tensor range_softmax(const Tensor& scores, const KeyRanges& ranges) {
  const Operation op("range_softmax");
  check_scores(op, scores, ranges);
  const Tensor weights = Tensor::empty(scores.shape());
  for_each_group(ranges, 8, [&](const Ranges& part) {
    kernels::range_softmax_forward(weights.data(), part, scores.data());
  });

  // dscores_ij = weights_ij (dweights_ij - sum_k dweights_ik weights_ik)
  return op.record(weights, {scores}, [ranges, weights = weights.detach()](BackwardContext& context) {
    const GradSlot slot = context.input_grad(0);
    for_each_group(ranges, 8, [&](const Ranges& part) {
      kernels::range_softmax_backward(slot, part, context.output_grad(), weights.data());
    });
  });
}

Tensor range_sparsemax(const Tensor& scores, const KeyRanges& ranges) {
  const Operation op("range_sparsemax");
  check_scores(op, scores, ranges);
  const Tensor weights = Tensor::empty(scores.shape());
  for_each_query(ranges, [&](Index first, Index count) {
    const Real* const of_query = scores.data() + first;
    const Real largest = count > 0 ? *std::max_element(of_query, of_query + count) : 0;
    const Real threshold = sparsemax_threshold(of_query, count, largest);
    for (Index j = 0; j < count; ++j)
      weights.data()[first + j] = std::max(of_query[j] - largest - threshold, Real{0});
  });

  // Within the support dscores = dweights - mean of dweights over the support; outside 0.
  return op.record(weights, {scores}, [ranges, weights = weights.detach()](BackwardContext& context) {
    const GradSlot slot = context.input_grad(0);
    const Real *const dweights = context.output_grad(), *const w = weights.data();
    for_each_query(ranges, [&](Index first, Index count) {
      Real sum = 0, support = 0;
      for (Index j = first; j < first + count; ++j)
        if (w[j] > 0) {
          sum += dweights[j];
          support += 1;
        }
      for (Index j = first; j < first + count; ++j)
        slot.put(j, w[j] > 0 ? dweights[j] - sum / support : Real{0});
    });
  });
}

Tensor range_relu(const Tensor& scores, const KeyRanges& ranges) {
  const Operation op("range_relu");
  check_scores(op, scores, ranges);
  const auto sum_above_zero = [scores](Index first, Index count) {
    return std::accumulate(scores.data() + first, scores.data() + first + count, Real{0},
                           [](Real sum, Real score) { return sum + std::max(score, Real{0}); });
  };
  const Tensor weights = Tensor::empty(scores.shape());
  for_each_query(ranges, [&](Index first, Index count) {
    const Real sum = sum_above_zero(first, count);
    for (Index j = first; j < first + count; ++j)
      weights.data()[j] = sum > 0 ? std::max(scores.data()[j], Real{0}) / sum : 1 / static_cast<Real>(count);
  });

  // dscores_j = (dweights_j - sum_k dweights_k weights_k) / sum where score_j > 0, else 0
  return op.record(weights, {scores}, [=, weights = weights.detach()](BackwardContext& context) {
    const GradSlot slot = context.input_grad(0);
    const Real *const dweights = context.output_grad(), *const w = weights.data();
    for_each_query(ranges, [&](Index first, Index count) {
      const Real sum = sum_above_zero(first, count);
      Real mean = 0;
      for (Index j = first; j < first + count; ++j) mean += dweights[j] * w[j];
      for (Index j = first; j < first + count; ++j)
        slot.put(j, scores.data()[j] > 0 ? (dweights[j] - mean) / sum : Real{0});
    });
  });
}

Tensor range_sigmoid(const Tensor& scores, const KeyRanges& ranges) {
  const Operation op("range_sigmoid");
  check_scores(op, scores, ranges);
  const Tensor weights = Tensor::empty(scores.shape());
  for_each_group(ranges, 8, [&](const Ranges& part) {
    kernels::range_sigmoid_forward(weights.data(), part, scores.data());
  });

  // dscores = dweights weights (1 - weights)
  return op.record(weights, {scores}, [ranges, weights = weights.detach()](BackwardContext& context) {
    const GradSlot slot = context.input_grad(0);
    for_each_group(ranges, 8, [&](const Ranges& part) {
      kernels::range_sigmoid_backward(slot, part, context.output_grad(), weights.data());
    });
  });
}

}}  // namespace regard::REGARD_PRECISION
