#include "nn/score.h"

#include <cmath>

#include "autograd/error.h"
#include "autograd/ops.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {

/// Each row divided by its length. A row of zeros stays as it is.
Tensor unit_rows(const Tensor& x) {
  constexpr auto tiny = Real(1e-30);
  return x / sqrt(sum(x * x, {{-1}, true}) + tiny);
}

/// log(1 + e^x), a smooth max(0, x). Above 40 it is x to the last bit, and e^-x would underflow soon after;
/// so the logarithm gets at most 40, and what x has above that is added.
Tensor softplus(const Tensor& x) {
  const Tensor above = relu(x - Real(40));
  return above - log(sigmoid(above - x));
}

/// Entry p of row i for the key at position p of its sentence. by_position[queries, positions]. Throws Error
/// if a sentence is longer than that.
Tensor scores_at_positions(const Tensor& by_position, const KeyRanges& ranges) {
  const Index known = by_position.size(1);
  std::vector<std::int32_t> entries;
  for (Index i = 0; i < ranges.queries(); ++i) {
    const Index begin = ranges.position[to_size(i)], end = begin + ranges.count(i);
    if (end > known)
      fail("Score: query {} looks at {} positions, but the score location knows {}; the sentence is too long",
           i, end, known);
    for (Index position = begin; position < end; ++position)
      entries.push_back(static_cast<std::int32_t>(i * known + position));
  }
  return gather(reshape(by_position, {by_position.size()}), 0, entries);
}

Tensor column_of_ones(Index rows) { return Tensor::full({rows, 1}, 1); }

}  // namespace

bool needs_equal_widths(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
    case ScoreKind::cosine:
      return true;
    case ScoreKind::general:
    case ScoreKind::additive:
    case ScoreKind::linear_concat:
    case ScoreKind::location:
      return false;
  }
  fail("Score: there is no score {}", static_cast<int>(kind));
}

Score::Score(const Settings& settings, Random& random) : settings_(settings) {
  const Index query = settings.query_width, key = settings.key_width;
  if (needs_equal_widths(settings.kind) && query != key)
    fail(
        "this score needs queries and keys of equal widths, but they have {} and {}; use general or additive",
        query, key);
  const auto weight = [&](Index out, Index in) { return parameter(xavier_uniform(out, in, random)); };
  switch (settings.kind) {
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
      break;
    case ScoreKind::general:
      query_weight = weight(key, query);
      break;
    case ScoreKind::additive: {
      const Index width = settings.width > 0 ? settings.width : query;
      query_weight = weight(width, query);
      key_weight = weight(width, key);
      v = parameter(reshape(xavier_uniform(1, width, random), {width}));
      break;
    }
    case ScoreKind::linear_concat:
      query_weight = weight(1, query);
      key_weight = weight(1, key);
      break;
    case ScoreKind::location:
      query_weight = weight(settings.positions, query);
      break;
    case ScoreKind::cosine:
      query_weight = weight(1, query);
      v = parameter(Tensor::full({1}, 1));
      break;
  }
}

Tensor Score::prepare(const Tensor& key) const {
  switch (settings_.kind) {
    case ScoreKind::additive:
      return linear(key, key_weight, {});
    case ScoreKind::linear_concat:
      return concat({column_of_ones(key.size(0)), linear(key, key_weight, {})}, 1);
    case ScoreKind::cosine:
      return unit_rows(key);
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
    case ScoreKind::general:
    case ScoreKind::location:
      return key;
  }
  fail("Score: there is no score {}", static_cast<int>(settings_.kind));
}

Tensor Score::operator()(const Tensor& query, const Tensor& prepared, const KeyRanges& ranges) const {
  switch (settings_.kind) {
    case ScoreKind::dot:
      return dot_scores(query, prepared, ranges);
    case ScoreKind::scaled_dot:
      // 1/sqrt(d) keeps the variance of the score at 1; d is the width of query and key, not of the layer's
      // input.
      return dot_scores(query, prepared, ranges,
                        static_cast<Real>(1 / std::sqrt(static_cast<double>(query.size(1)))));
    case ScoreKind::general:  // s^T W h = (W^T s) . h; query_weight is W^T
      return dot_scores(linear(query, query_weight, {}), prepared, ranges);
    case ScoreKind::additive:
      return additive_scores(linear(query, query_weight, {}), prepared, v, ranges);
    case ScoreKind::linear_concat:  // w1 . s + w2 . h = [w1 . s, 1] . [1, w2 . h]
      return dot_scores(concat({linear(query, query_weight, {}), column_of_ones(query.size(0))}, 1), prepared,
                        ranges);
    case ScoreKind::location:
      return scores_at_positions(linear(query, query_weight, {}), ranges);
    case ScoreKind::cosine:
      return dot_scores(unit_rows(query) * softplus(linear(query, query_weight, v)), prepared, ranges);
  }
  fail("Score: there is no score {}", static_cast<int>(settings_.kind));
}

void Score::visit(Visitor& visitor) {
  if (query_weight) visitor("query_weight", query_weight);
  if (key_weight) visitor("key_weight", key_weight);
  if (v) visitor("v", v);
}

}}}  // namespace regard::REGARD_PRECISION::nn
