#include "nn/general_attention/score.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/general_attention/pairs.h"
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

/// Rows of the parameters of a score; 0: it has none.
struct ScoreRows {
  Index query_weight = 0;  ///< [rows, query width]
  Index key_weight = 0;    ///< [rows, key width]
  Index v = 0;             ///< [rows]
};

ScoreRows rows_of(const ScoreSettings& settings) {
  const Index width = settings.width > 0 ? settings.width : settings.query_width;
  switch (settings.kind) {
    case ScoreKind::dot:
    case ScoreKind::scaled_dot:
      return {};
    case ScoreKind::general:
      return {.query_weight = settings.key_width};
    case ScoreKind::additive:
      return {.query_weight = width, .key_weight = width, .v = width};
    case ScoreKind::linear_concat:
      return {.query_weight = 1, .key_weight = 1};
    case ScoreKind::location:
      return {.query_weight = settings.positions};
    case ScoreKind::cosine:
      return {.query_weight = 1, .v = 1};
  }
  fail("Score: there is no score {}", static_cast<int>(settings.kind));
}

Tensor column_of_ones(const Tensor& x) { return Tensor::full({x.size(0), 1}, 1); }

/// The score of a kind. W (or w, w1) is query_weight, U (or w2) is key_weight.
class ScoreOfKind : public Score {
 public:
  ScoreOfKind(const ScoreSettings& settings, Random& random) : kind_(settings.kind) {
    const ScoreRows rows = rows_of(settings);
    const auto weight = [&](Index out, Index in) { return parameter(xavier_uniform(out, in, random)); };
    if (rows.query_weight > 0) query_weight_ = weight(rows.query_weight, settings.query_width);
    if (rows.key_weight > 0) key_weight_ = weight(rows.key_weight, settings.key_width);
    if (kind_ == ScoreKind::cosine)
      v_ = parameter(Tensor::full({rows.v}, 1));
    else if (rows.v > 0)
      v_ = parameter(reshape(xavier_uniform(1, rows.v, random), {rows.v}));
  }

  Tensor prepare(const Tensor& key) const override {
    switch (kind_) {
      case ScoreKind::additive:
        return linear(key, key_weight_, {});  // U h
      case ScoreKind::linear_concat:
        return concat({column_of_ones(key), linear(key, key_weight_, {})}, 1);  // [1, w2 . h]
      case ScoreKind::cosine:
        return unit_rows(key);
      default:
        return key;
    }
  }

  Tensor operator()(const Tensor& query, const Tensor& key, const KeyRanges& ranges) const override {
    const Tensor bias = kind_ == ScoreKind::cosine ? v_ : Tensor();
    const Tensor product = query_weight_ ? linear(query, query_weight_, bias) : query;
    switch (kind_) {
      case ScoreKind::scaled_dot:
        // With sqrt(d) as divisor the variance of the score stays at 1; d is the width of query and key, not
        // of the layer's input.
        return dot_scores(query, key, ranges,
                          static_cast<Real>(1 / std::sqrt(static_cast<double>(query.size(1)))));
      case ScoreKind::dot:
      case ScoreKind::general:  // s^T W h = (W^T s) . h; query_weight is W^T
        return dot_scores(product, key, ranges);
      case ScoreKind::additive:
        return additive_scores(product, key, v_, ranges);
      case ScoreKind::linear_concat:  // [w1 . s, 1] . [1, w2 . h]
        return dot_scores(concat({product, column_of_ones(query)}, 1), key, ranges);
      case ScoreKind::location:
        return scores_at_positions(product, ranges);
      case ScoreKind::cosine:  // beta(s) cos(s, h) with beta(s) = softplus(w . s + v)
        return dot_scores(unit_rows(query) * softplus(product), key, ranges);
    }
    fail("Score: there is no score {}", static_cast<int>(kind_));
  }

  void visit(Visitor& visitor) override {
    if (query_weight_) visitor("query_weight", query_weight_);
    if (key_weight_) visitor("key_weight", key_weight_);
    if (v_) visitor("v", v_);
  }

 private:
  ScoreKind kind_;
  Tensor query_weight_, key_weight_, v_;
};

}  // namespace

bool needs_equal_widths(ScoreKind kind) {
  return kind == ScoreKind::dot || kind == ScoreKind::scaled_dot || kind == ScoreKind::cosine;
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
  return std::make_unique<ScoreOfKind>(settings, random);
}

}}}  // namespace regard::REGARD_PRECISION::nn
