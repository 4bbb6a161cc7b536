#include "nn/score.h"

#include <cmath>
#include <cstdint>
#include <vector>

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

Tensor weight(Index out, Index in, Random& random) { return parameter(xavier_uniform(out, in, random)); }

/// s . h / divisor. With sqrt(d) as divisor the variance of the score stays at 1; d is the width of query and
/// key, not of the layer's input.
struct DotScore : Score {
  explicit DotScore(double divisor) : scale(static_cast<Real>(1 / divisor)) {}
  Tensor operator()(const Tensor& query, const Tensor& key, const KeyRanges& ranges) const override {
    return dot_scores(query, key, ranges, scale);
  }

  Real scale;
};

/// s^T W h = (W^T s) . h; query_weight is W^T.
struct GeneralScore : Score {
  GeneralScore(Index query, Index key, Random& random) : query_weight(weight(key, query, random)) {}
  Tensor operator()(const Tensor& query, const Tensor& key, const KeyRanges& ranges) const override {
    return dot_scores(linear(query, query_weight, {}), key, ranges);
  }
  void visit(Visitor& visitor) override { visitor("query_weight", query_weight); }

  Tensor query_weight;
};

/// v . tanh(W s + U h). U h is computed once for all queries.
struct AdditiveScore : Score {
  AdditiveScore(Index query, Index key, Index width, Random& random)
      : query_weight(weight(width, query, random)),
        key_weight(weight(width, key, random)),
        v(parameter(reshape(xavier_uniform(1, width, random), {width}))) {}
  Tensor prepare(const Tensor& key) const override { return linear(key, key_weight, {}); }
  Tensor operator()(const Tensor& query, const Tensor& prepared, const KeyRanges& ranges) const override {
    return additive_scores(linear(query, query_weight, {}), prepared, v, ranges);
  }
  void visit(Visitor& visitor) override {
    visitor("query_weight", query_weight);
    visitor("key_weight", key_weight);
    visitor("v", v);
  }

  Tensor query_weight, key_weight, v;  ///< W, U, v
};

/// w1 . s + w2 . h = [w1 . s, 1] . [1, w2 . h]
struct LinearConcatScore : Score {
  LinearConcatScore(Index query, Index key, Random& random)
      : query_weight(weight(1, query, random)), key_weight(weight(1, key, random)) {}
  Tensor prepare(const Tensor& key) const override {
    return concat({column_of_ones(key.size(0)), linear(key, key_weight, {})}, 1);
  }
  Tensor operator()(const Tensor& query, const Tensor& prepared, const KeyRanges& ranges) const override {
    return dot_scores(concat({linear(query, query_weight, {}), column_of_ones(query.size(0))}, 1), prepared,
                      ranges);
  }
  void visit(Visitor& visitor) override {
    visitor("query_weight", query_weight);
    visitor("key_weight", key_weight);
  }

  Tensor query_weight, key_weight;  ///< w1, w2
};

/// Entry j of W s for the key at position j.
struct LocationScore : Score {
  LocationScore(Index query, Index positions, Random& random)
      : query_weight(weight(positions, query, random)) {}
  Tensor operator()(const Tensor& query, const Tensor&, const KeyRanges& ranges) const override {
    return scores_at_positions(linear(query, query_weight, {}), ranges);
  }
  void visit(Visitor& visitor) override { visitor("query_weight", query_weight); }

  Tensor query_weight;  ///< W
};

/// beta(s) cos(s, h) with beta(s) = softplus(w . s + b)
struct CosineScore : Score {
  CosineScore(Index query, Random& random)
      : query_weight(weight(1, query, random)), v(parameter(Tensor::full({1}, 1))) {}
  Tensor prepare(const Tensor& key) const override { return unit_rows(key); }
  Tensor operator()(const Tensor& query, const Tensor& prepared, const KeyRanges& ranges) const override {
    return dot_scores(unit_rows(query) * softplus(linear(query, query_weight, v)), prepared, ranges);
  }
  void visit(Visitor& visitor) override {
    visitor("query_weight", query_weight);
    visitor("v", v);
  }

  Tensor query_weight, v;  ///< w, b
};

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

Tensor rows_of_queries(const Tensor& query, const KeyRanges& ranges) {
  std::vector<std::int32_t> rows;
  for (Index i = 0; i < ranges.queries(); ++i)
    rows.insert(rows.end(), to_size(ranges.count(i)), static_cast<std::int32_t>(i));
  return gather(query, 0, rows);
}

Tensor rows_of_keys(const Tensor& key, const KeyRanges& ranges) {
  std::vector<std::int32_t> rows;
  for (Index i = 0; i < ranges.queries(); ++i)
    for (Index j = 0; j < ranges.count(i); ++j)
      rows.push_back(static_cast<std::int32_t>(ranges.first[to_size(i)] + j));
  return gather(key, 0, rows);
}

std::unique_ptr<Score> make_score(const ScoreSettings& settings, Random& random) {
  const Index query = settings.query_width, key = settings.key_width;
  if (needs_equal_widths(settings.kind) && query != key)
    fail(
        "this score needs queries and keys of equal widths, but they have {} and {}; use general or additive",
        query, key);
  switch (settings.kind) {
    case ScoreKind::dot:
      return std::make_unique<DotScore>(1);
    case ScoreKind::scaled_dot:
      return std::make_unique<DotScore>(std::sqrt(static_cast<double>(query)));
    case ScoreKind::general:
      return std::make_unique<GeneralScore>(query, key, random);
    case ScoreKind::additive:
      return std::make_unique<AdditiveScore>(query, key, settings.width > 0 ? settings.width : query, random);
    case ScoreKind::linear_concat:
      return std::make_unique<LinearConcatScore>(query, key, random);
    case ScoreKind::location:
      return std::make_unique<LocationScore>(query, settings.positions, random);
    case ScoreKind::cosine:
      return std::make_unique<CosineScore>(query, random);
  }
  fail("Score: there is no score {}", static_cast<int>(settings.kind));
}

}}}  // namespace regard::REGARD_PRECISION::nn
