#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/ops/range_checks.h"
#include "autograd/ops/scores.h"

namespace regard { inline namespace REGARD_PRECISION {

using namespace ranges_detail;
using kernels::Ranges;

namespace {

/// Calls use(first pair, number of pairs) for each query.
template <class Use>
void for_each_query(const KeyRanges& ranges, const Use& use) {
  for_each_group(ranges, 1, [&](const Ranges& part) {
    for (Index i = part.begin; i < part.end; ++i) use(part.offsets[i], part.offsets[i + 1] - part.offsets[i]);
  });
}

/// The threshold tau for which sum_j max(0, z_j - tau) = 1: tau = (sum of the support - 1) / (its size),
/// where the support is all z_j above tau (Martins and Astudillo 2016, eq. 4). Each round leaves out the
/// scores that are not above the tau of the scores so far, until none is left out (Michelot 1986), so nothing
/// has to be sorted.
Real sparsemax_threshold(const Real* z, Index n) {
  Real threshold = -std::numeric_limits<Real>::infinity();
  for (Index size = 0;;) {
    Real sum = 0;
    Index support = 0;
    for (Index j = 0; j < n; ++j)
      if (z[j] > threshold) {
        sum += z[j];
        ++support;
      }
    if (support == size) return threshold;
    size = support;
    threshold = (sum - 1) / static_cast<Real>(support);
  }
}

}  // namespace

Tensor range_softmax(const Tensor& scores, const KeyRanges& ranges) {
  const Operation op("range_softmax");
  check_pairs(op, "scores", scores, ranges);
  const Tensor weights = Tensor::empty(scores.shape());
  for_each_group(ranges, 8, [&](const Ranges& part) {
    kernels::range_softmax_forward(weights.data(), part, scores.data());
  });
  return op.record(weights, {scores}, [ranges, weights = weights.detach()](BackwardContext& context) {
    const GradSlot slot = context.input_grad(0);
    for_each_group(ranges, 8, [&](const Ranges& part) {
      kernels::range_softmax_backward(slot, part, context.output_grad(), weights.data());
    });
  });
}

Tensor range_sparsemax(const Tensor& scores, const KeyRanges& ranges) {
  const Operation op("range_sparsemax");
  check_pairs(op, "scores", scores, ranges);
  const Tensor weights = Tensor::empty(scores.shape());
  for_each_query(ranges, [&](Index first, Index count) {
    const Real threshold = sparsemax_threshold(scores.data() + first, count);
    for (Index j = first; j < first + count; ++j)
      weights.data()[j] = std::max(scores.data()[j] - threshold, Real{0});
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
  check_pairs(op, "scores", scores, ranges);
  const auto sum_above_zero = [scores](Index first, Index count) {
    Real sum = 0;
    for (Index j = first; j < first + count; ++j) sum += std::max(scores.data()[j], Real{0});
    return sum;
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

Tensor gaussian_weights(const Tensor& weights, const Tensor& centre, Real deviation,
                        const KeyRanges& ranges) {
  const Operation op("gaussian_weights");
  check_pairs(op, "weights", weights, ranges);
  if (centre.shape() != Shape{ranges.queries(), 1})
    op.fail("centre of shape {} does not fit {} queries: expected [{}, 1]", to_string(centre.shape()),
            ranges.queries(), ranges.queries());
  if (!(deviation > 0)) op.fail("the deviation is {}; it must be above 0", deviation);
  /// The distance of key j from the centre of query i, in deviations.
  const auto distance = [=](Index i, Index j) {
    return (static_cast<Real>(ranges.position[to_size(i)] + j) - centre.data()[i]) / deviation;
  };
  const Tensor y = Tensor::empty(weights.shape());
  for (Index i = 0; i < ranges.queries(); ++i)
    for (Index j = 0; j < ranges.count(i); ++j) {
      const Index pair = ranges.offsets[to_size(i)] + j;
      y.data()[pair] = weights.data()[pair] * std::exp(-distance(i, j) * distance(i, j) / 2);
    }

  // dweights = dy exp(...), dcentre_i = sum_j dy_ij y_ij (position_j - centre_i) / deviation^2
  return op.record(y, {weights, centre}, [=, y = y.detach()](BackwardContext& context) {
    const Real* const dy = context.output_grad();
    if (const GradSlot slot = context.input_grad(0))
      for (Index i = 0; i < ranges.queries(); ++i)
        for (Index j = 0; j < ranges.count(i); ++j) {
          const Index pair = ranges.offsets[to_size(i)] + j;
          slot.put(pair, dy[pair] * std::exp(-distance(i, j) * distance(i, j) / 2));
        }
    if (const GradSlot slot = context.input_grad(1))
      for (Index i = 0; i < ranges.queries(); ++i) {
        Real sum = 0;
        for (Index j = 0; j < ranges.count(i); ++j) {
          const Index pair = ranges.offsets[to_size(i)] + j;
          sum += dy[pair] * y.data()[pair] * distance(i, j) / deviation;
        }
        slot.put(i, sum);
      }
  });
}

}}  // namespace regard::REGARD_PRECISION
