#include "nn/general_attention/pairs.h"

#include <algorithm>
#include <cmath>

#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/ops/range_loops.h"
#include "nn/general_attention/additive_kernels.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::Ranges;

namespace {

/// Calls use(query i, key j of its range, their pair) for all pairs, on this thread.
template <class Use>
void for_each_pair(const KeyRanges& ranges, const Use& use) {
  for (Index i = 0; i < ranges.queries(); ++i)
    for (Index j = 0; j < ranges.count(i); ++j) use(i, j, ranges.offsets[to_size(i)] + j);
}

/// e^(-x^2/2)
Real bell(Real x) { return std::exp(-x * x / 2); }

}  // namespace

Tensor additive_scores(const Tensor& query, const Tensor& key, const Tensor& v, const KeyRanges& ranges) {
  const Operation op("additive_scores");
  check_queries(op, "query", query, ranges);
  check_keys(op, "key", key, ranges);
  const Index width = query.size(1);
  if (key.size(1) != width || v.shape() != Shape{width})
    op.fail("query of shape {}, key of shape {} and v of shape {} must have equal widths",
            to_string(query.shape()), to_string(key.shape()), to_string(v.shape()));
  constexpr Index work = 8;  // a hyperbolic tangent costs as much as this many additions
  const Tensor scores = Tensor::empty({ranges.pairs()});
  for_each_group(ranges, work * width, [&](const Ranges& part) {
    kernels::range_additive_forward(scores.data(), part, query.data(), key.data(), v.data(), width);
  });

  // With t = tanh(query_i + key_j) and dpre = de_ij v (1 - t^2), by elements:
  //   dquery_i = sum_j dpre,  dkey_j = sum_i dpre,  dv = sum_ij de_ij t
  return op.record(scores, {query, key, v}, [=](BackwardContext& context) {
    const Tensor dquery = Tensor::empty(query.shape()), dv = Tensor::empty(query.shape());
    GradSlot dkey = context.input_grad(1);
    const Tensor no_dkey = dkey ? Tensor{} : Tensor::zeros(key.shape());
    dkey.start_with_zeros(dkey ? key.size() : 0);
    for_each_group(ranges, work * width, [&](const Ranges& part) {
      kernels::range_additive_backward(dquery.data(), dkey ? dkey.data : no_dkey.data(), dv.data(), part,
                                       context.output_grad(), query.data(), key.data(), v.data(), width);
    });
    if (const GradSlot slot = context.input_grad(0))
      kernels::accumulate(slot, static_cast<const Real*>(dquery.data()), query.size());
    if (const GradSlot slot = context.input_grad(2))
      kernels::column_sums(slot, static_cast<const Real*>(dv.data()), query.size(0), width);
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
  for_each_pair(ranges, [&](Index i, Index j, Index pair) {
    y.data()[pair] = weights.data()[pair] * bell(distance(i, j));
  });

  // dweights = dy exp(...), dcentre_i = sum_j dy_ij y_ij (position_j - centre_i) / deviation^2
  return op.record(y, {weights, centre}, [=, y = y.detach()](BackwardContext& context) {
    const Real* const dy = context.output_grad();
    if (const GradSlot dweights = context.input_grad(0))
      for_each_pair(
          ranges, [&](Index i, Index j, Index pair) { dweights.put(pair, dy[pair] * bell(distance(i, j))); });
    if (GradSlot dcentre = context.input_grad(1)) {
      dcentre.start_with_zeros(centre.size());
      for_each_pair(ranges, [&](Index i, Index j, Index pair) {
        dcentre.data[i] += dy[pair] * y.data()[pair] * distance(i, j) / deviation;
      });
    }
  });
}

}}  // namespace regard::REGARD_PRECISION
