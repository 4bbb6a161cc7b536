#pragma once

#include "autograd/ops/ranges.h"
#include "nn/module.h"

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

/// One of the scores with its parameters.
class Score : public Module {
 public:
  struct Settings {
    ScoreKind kind;
    Index query_width, key_width;
    Index width = 0;        ///< additive: width of W s + U h; 0: query_width
    Index positions = 256;  ///< location: keys of the longest sentence
  };
  /// Throws Error if the kind needs equal widths and they are not.
  Score(const Settings& settings, Random& random);

  /// The part that does not depend on the query, to be computed once for all queries. key[rows, key_width].
  Tensor prepare(const Tensor& key) const;
  /// The scores of all pairs, [pairs]. query[queries, query_width]; `prepared` from prepare().
  Tensor operator()(const Tensor& query, const Tensor& prepared, const KeyRanges& ranges) const;

  void visit(Visitor& visitor) override;

  Tensor query_weight;  ///< W; linear_concat: w1; cosine: the weight of beta
  Tensor key_weight;    ///< additive: U; linear_concat: w2
  Tensor v;             ///< additive; cosine: the bias of beta

 private:
  Settings settings_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
