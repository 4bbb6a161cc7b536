#include "autograd/ops/scores.h"

#include "autograd/kernels/elementwise.h"
#include "autograd/ops/range_checks.h"

namespace regard { inline namespace REGARD_PRECISION {

using namespace ranges_detail;
using kernels::Ranges;

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

Tensor position_scores(const Tensor& by_position, const KeyRanges& ranges) {
  const Operation op("position_scores");
  check_queries(op, "by_position", by_position, ranges);
  const Index positions = by_position.size(1);
  for (Index i = 0; i < ranges.queries(); ++i)
    if (ranges.position[to_size(i)] + ranges.count(i) > positions)
      op.fail(
          "query {} looks at {} positions, but scores of shape {} know {} positions; the sentence is too "
          "long",
          i, ranges.position[to_size(i)] + ranges.count(i), to_string(by_position.shape()), positions);
  const Tensor scores = Tensor::empty({ranges.pairs()});
  for (Index i = 0; i < ranges.queries(); ++i)
    std::copy_n(by_position.data() + i * positions + ranges.position[to_size(i)], ranges.count(i),
                scores.data() + ranges.offsets[to_size(i)]);

  return op.record(scores, {by_position}, [=](BackwardContext& context) {
    GradSlot slot = context.input_grad(0);
    slot.start_with_zeros(by_position.size());
    for (Index i = 0; i < ranges.queries(); ++i)
      for (Index j = 0; j < ranges.count(i); ++j)
        slot.data[i * positions + ranges.position[to_size(i)] + j] +=
            context.output_grad()[ranges.offsets[to_size(i)] + j];
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
    if (const GradSlot dweights = context.input_grad(0))
      for_each_group(ranges, width, [&](const Ranges& part) {
        kernels::range_dots(dweights, part, dy, value.data(), width, Real{1});
      });
    if (GradSlot dvalue = context.input_grad(1)) {
      dvalue.start_with_zeros(value.size());
      for_each_group(ranges, width, [&](const Ranges& part) {
        kernels::range_spread(dvalue.data, part, weights.data(), dy, width, Real{1});
      });
    }
  });
}

}}  // namespace regard::REGARD_PRECISION
