#include "autograd/ops/ranges.h"

#include <algorithm>
#include <array>
#include <vector>

#include "autograd/graph.h"
#include "autograd/kernels/ranges.h"
#include "autograd/machine/parallel.h"
#include "autograd/ops/range_loops.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::Ranges;

void check_queries(const Operation& op, const char* what, const Tensor& query, const KeyRanges& ranges) {
  if (query.rank() != 2 || query.size(0) != ranges.queries())
    op.fail("{} of shape {} does not fit {} queries: expected a row for each", what, to_string(query.shape()),
            ranges.queries());
}

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
  std::sort(sentences.begin(), sentences.end());
  for (std::size_t i = 1; i < sentences.size(); ++i)
    if (sentences[i][0] < sentences[i - 1][1])
      op.fail(
          "two sentences share row {} of the {}, so the threads cannot divide its gradient; gather() copies "
          "it",
          sentences[i][0], what);
}

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
