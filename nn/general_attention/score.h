#pragma once

#include <functional>
#include <memory>

#include "autograd/ops/ranges.h"
#include "nn/module.h"

// The scores of the general attention, and how to write one.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// How well a query s and a key h fit. The greater the score, the more attention the key gets.
enum class ScoreKind {
  dot,            ///< s . h (Luong et al. 2015, section 3.1)
  scaled_dot,     ///< s . h / sqrt(d) (Vaswani et al. 2017, eq. 1)
  general,        ///< s^T W h (Luong et al. 2015, section 3.1)
  additive,       ///< v . tanh(W s + U h) (Bahdanau et al. 2015, appendix A.1.2); Luong's concat is the same
                  ///< function
  linear_concat,  ///< w [s; h] = w1 . s + w2 . h: no query changes its weights, because softmax drops w1 . s
  location,  ///< entry j of W s for the key at position j: the keys themselves do not matter (Luong et al.
             ///< 2015, section 3.1)
  cosine     ///< beta(s) cos(s, h), beta > 0 (Graves et al. 2014, eqs. 5 and 6)
};

/// True if queries and keys must have the same width for this score.
bool needs_equal_widths(ScoreKind kind);

/// A score with its parameters. To write one: compute the scores of the pairs, and show the parameters in
/// visit(). rows_of_queries and rows_of_keys give the two vectors of each pair; dot_scores and
/// additive_scores (autograd/ops/ranges.h) need less memory.
class Score : public Module {
 public:
  /// The part that does not depend on the query, to be computed once for all queries. key[rows, key_width].
  virtual Tensor prepare(const Tensor& key) const { return key; }
  /// The scores of all pairs, [pairs]. query[queries, query_width]; `prepared` from prepare().
  virtual Tensor operator()(const Tensor& query, const Tensor& prepared, const KeyRanges& ranges) const = 0;
  void visit(Visitor& /*visitor*/) override {}
};

/// The query of each pair, [pairs, width], from query[queries, width].
Tensor rows_of_queries(const Tensor& query, const KeyRanges& ranges);
/// The key of each pair, [pairs, width], from key[rows, width].
Tensor rows_of_keys(const Tensor& key, const KeyRanges& ranges);

struct ScoreSettings {
  ScoreKind kind;
  Index query_width, key_width;
  Index width = 0;        ///< additive: width of W s + U h; 0: query_width
  Index positions = 256;  ///< location: rows of W, so keys of the longest sentence
};

/// Makes a score for queries and keys of these widths.
using MakeScore = std::function<std::unique_ptr<Score>(Index query_width, Index key_width, Random& random)>;

/// Makes the score of this kind. Throws Error if the kind needs equal widths and they are not.
std::unique_ptr<Score> make_score(const ScoreSettings& settings, Random& random);

}}}  // namespace regard::REGARD_PRECISION::nn
