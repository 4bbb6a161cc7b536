#include "autograd/ops/ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/ranges.h"
#include "autograd/operation.h"
#include "autograd/parallel.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::Ranges;

namespace {

/// Throws Error unless there is a number for each pair.
void check_pairs(const Operation& op, const char* what, const Tensor& pairs, const KeyRanges& ranges) {
  if (pairs.shape() != Shape{ranges.pairs()})
    op.fail("{} of shape {} do not fit {} pairs of a query and a key: expected [{}]", what,
            to_string(pairs.shape()), ranges.pairs(), ranges.pairs());
}

/// Throws Error unless `query` has a row for each query.
void check_queries(const Operation& op, const char* what, const Tensor& query, const KeyRanges& ranges) {
  if (query.rank() != 2 || query.size(0) != ranges.queries())
    op.fail("{} of shape {} does not fit {} queries: expected a row for each", what, to_string(query.shape()),
            ranges.queries());
}

/// Throws Error unless `key` has all rows that the ranges name.
void check_keys(const Operation& op, const char* what, const Tensor& key, const KeyRanges& ranges) {
  Index rows = 0;
  for (Index i = 0; i < ranges.queries(); ++i)
    rows = std::max(rows, ranges.first[to_size(i)] + ranges.count(i));
  if (key.rank() != 2 || key.size(0) < rows)
    op.fail("{} of shape {} does not fit ranges that need {} rows", what, to_string(key.shape()), rows);
}

/// Calls body(kernels::Ranges) for all queries, on all threads. A group of queries stays on one thread, so
/// threads never write to the same key. `width` is the work of one pair.
template <class Body>
void for_each_group(const KeyRanges& ranges, Index width, const Body& body) {
  constexpr Index work_per_block = 32768;  // about 10 microseconds
  const Index groups = to_index(ranges.groups.size()) - 1;
  const Index work = std::max<Index>(ranges.pairs() * width / std::max<Index>(groups, 1), 1);
  parallel_for(groups, std::max<Index>(work_per_block / work, 1), [&](Index begin, Index end) {
    body(kernels::Ranges{ranges.first.data(), ranges.offsets.data(), ranges.groups[to_size(begin)],
                         ranges.groups[to_size(end)]});
  });
}

/// Calls use(query i, key j of its range, their pair) for all pairs, on this thread.
template <class Use>
void for_each_pair(const KeyRanges& ranges, const Use& use) {
  for (Index i = 0; i < ranges.queries(); ++i)
    for (Index j = 0; j < ranges.count(i); ++j) use(i, j, ranges.offsets[to_size(i)] + j);
}

/// Calls use(first pair, number of pairs) for each query, on all threads.
template <class Use>
void for_each_query(const KeyRanges& ranges, const Use& use) {
  for_each_group(ranges, 1, [&](const Ranges& part) {
    for (Index i = part.begin; i < part.end; ++i) use(part.offsets[i], part.offsets[i + 1] - part.offsets[i]);
  });
}

/// e^(-x^2/2)
Real bell(Real x) { return std::exp(-x * x / 2); }

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

Tensor range_softmax(const Tensor& scores, const KeyRanges& ranges) {
  const Operation op("range_softmax");
  check_pairs(op, "scores", scores, ranges);
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
  check_pairs(op, "scores", scores, ranges);
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
  check_pairs(op, "scores", scores, ranges);
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
  check_pairs(op, "scores", scores, ranges);
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
