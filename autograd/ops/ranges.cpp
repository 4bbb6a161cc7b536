#include "autograd/ops/ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/ranges.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops/range_loops.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::Ranges;

namespace {

/// Throws Error unless `query` has a row for each query.
void check_queries(const Operation& op, const char* what, const Tensor& query, const KeyRanges& ranges) {
  if (query.rank() != 2 || query.size(0) != ranges.queries())
    op.fail("{} of shape {} does not fit {} queries: expected a row for each", what, to_string(query.shape()),
            ranges.queries());
}

/// Throws Error unless `key` has all rows that the ranges name. If it needs a gradient, which the threads
/// divide by groups, each sentence must have keys of its own.
void check_keys(const Operation& op, const char* what, const Tensor& key, const KeyRanges& ranges) {
  Index rows = 0;
  for (Index i = 0; i < ranges.queries(); ++i)
    rows = std::max(rows, ranges.first[to_size(i)] + ranges.count(i));
  if (key.rank() != 2 || key.size(0) < rows)
    op.fail("{} of shape {} does not fit ranges that need {} rows", what, to_string(key.shape()), rows);
  if (!needs_gradient({key})) return;
  std::vector<std::array<Index, 2>> sentences;  // begin and end of the keys
  for (std::size_t group = 0; group + 1 < ranges.groups.size(); ++group) {
    const auto query = to_size(ranges.groups[group]);
    const Index begin = ranges.first[query] - ranges.position[query];
    sentences.push_back({begin, begin + ranges.length[query]});
  }
  std::ranges::sort(sentences);
  for (std::size_t i = 1; i < sentences.size(); ++i)
    if (sentences[i][0] < sentences[i - 1][1])
      op.fail(
          "two sentences share row {} of the {}, so the threads cannot divide its gradient; gather() copies "
          "it",
          sentences[i][0], what);
}

/// Calls use(query i, key j of its range, their pair) for all pairs, on this thread.
template <class Use>
void for_each_pair(const KeyRanges& ranges, const Use& use) {
  for (Index i = 0; i < ranges.queries(); ++i)
    for (Index j = 0; j < ranges.count(i); ++j) use(i, j, ranges.offsets[to_size(i)] + j);
}

/// e^(-x^2/2)
Real bell(Real x) { return std::exp(-x * x / 2); }

}  // namespace

Tensor dot_scores(const Tensor& query, const Tensor& key, const KeyRanges& ranges, Real scale) {
  const Operation op("dot_scores");
  check_queries(op, "query", query, ranges);
  check_keys(op, "key", key, ranges);
  if (query.size(1) != key.size(1))
    op.fail("query of shape {} and key of shape {} must have equal widths", to_string(query.shape()),
            to_string(key.shape()));
  const Index width = query.size(1);
  const Tensor scores = Tensor::empty({ranges.pairs()});
  for_each_group(ranges, width, [&](const Ranges& part) {
    kernels::range_dots(GradSlot{scores.data()}, part, query.data(), key.data(), width, scale);
  });

  // dquery_i = scale sum_j de_ij key_j, dkey_j = scale sum_i de_ij query_i
  return op.record(scores, {query, key}, [=](BackwardContext& context) {
    const Real* const de = context.output_grad();
    if (const GradSlot dquery = context.input_grad(0))
      for_each_group(ranges, width, [&](const Ranges& part) {
        kernels::range_sums(dquery, part, de, key.data(), width, scale);
      });
    if (GradSlot dkey = context.input_grad(1)) {
      dkey.start_with_zeros(key.size());
      for_each_group(ranges, width, [&](const Ranges& part) {
        kernels::range_spread(dkey.data, part, de, query.data(), width, scale);
      });
    }
  });
}

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

Tensor weighted_sum(const Tensor& weights, const Tensor& value, const KeyRanges& ranges) {
  const Operation op("weighted_sum");
  check_pairs(op, "weights", weights, ranges);
  check_keys(op, "value", value, ranges);
  const Index width = value.size(1);
  const Tensor y = Tensor::empty({ranges.queries(), width});
  for_each_group(ranges, width, [&](const Ranges& part) {
    kernels::range_sums(GradSlot{y.data()}, part, weights.data(), value.data(), width, Real{1});
  });

  // dweights_ij = dy_i . value_j, dvalue_j = sum_i weights_ij dy_i
  return op.record(y, {weights, value}, [=](BackwardContext& context) {
    const Real* const dy = context.output_grad();
    const GradSlot dweights = context.input_grad(0);
    GradSlot dvalue = context.input_grad(1);
    if (dvalue) dvalue.start_with_zeros(value.size());
    for_each_group(ranges, width, [&](const Ranges& part) {
      if (dweights) kernels::range_dots(dweights, part, dy, value.data(), width, Real{1});
      if (dvalue) kernels::range_spread(dvalue.data, part, weights.data(), dy, width, Real{1});
    });
  });
}

}}  // namespace regard::REGARD_PRECISION
