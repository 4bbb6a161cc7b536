#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "nn/attention_module.h"
#include "nn/general_attention/score.h"

// Attention with any score, normaliser and window.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// The positions that a query at position t of its own sequence attends to (Luong et al. 2015, section 3.2).
enum class AttentionWindow {
  global,   ///< all
  local_m,  ///< those at most D away from t
  local_p   ///< those at most D away from p = S sigmoid(v . tanh(W s)), S being the length of the sentence;
            ///< the weights are multiplied by exp(-(j - p)^2 / (2 (D/2)^2))
};

/// The general attention layer. The inputs are rows X, to which to attend, and queries Q:
///   K = X W_k,  V = X W_v                  (or K = V = X)
///   e_tj = score(q_t, k_j)                 over the keys j in the window of query t
///   a_t  = normaliser(e_t)
///   y_t  = sum_j a_tj v_j
/// The attention of Bahdanau, of Luong and over an image are this layer with a certain X, Q and score; so is
/// one head of the Transformer's attention, with the score scaled_dot (autograd/ops/attention.h computes all
/// heads at once).
class Attention : public AttentionModule {
 public:
  struct Settings {
    Index query_width;
    Index memory_width;  ///< of X
    ScoreKind score = ScoreKind::general;
    Normaliser normaliser = Normaliser::softmax;
    AttentionWindow window = AttentionWindow::global;
    Index radius = 5;          ///< D
    Index key_width = 0;       ///< of K = X W_k; 0: K = X
    Index value_width = 0;     ///< of V = X W_v; 0: V = X
    Index score_width = 0;     ///< as ScoreSettings::width
    Index positions = 256;     ///< as ScoreSettings::positions
    MakeScore own_score = {};  ///< not empty: makes the score, instead of `score`
  };
  Attention(const Settings& settings, Random& random);

  /// The keys and values of a batch of sentences, which all queries read.
  struct KeysAndValues {
    Tensor key;  ///< prepared for the score
    Tensor value;
  };
  /// Keys and values of x[rows, memory_width], once for all queries.
  KeysAndValues prepare(const Tensor& x) const;

  struct Result {
    Tensor context;    ///< y, [queries, width()]
    Tensor weights;    ///< a, one number for each pair
    KeyRanges ranges;  ///< which pairs those are
  };
  /// Queries [queries, query_width]; `segments` says which keys belong to their sentence. `positions[i]` is
  /// the position of query i in its own sequence; only the window local_m reads it.
  Result operator()(const Tensor& query, const KeysAndValues& memory, const Segments& segments,
                    std::span<const std::int32_t> positions = {}) const;

  void visit(Visitor& visitor) override;
  Index heads() const override { return 1; }  ///< if it is off, the context is 0
  bool reads_memory() const override { return true; }
  /// The width of the context.
  Index width() const { return settings_.value_width > 0 ? settings_.value_width : settings_.memory_width; }

  Tensor key_weight, value_weight;  ///< W_k, W_v
  std::shared_ptr<Score> score;
  Tensor position_weight, position_v;  ///< W, v of local_p

 private:
  /// p_t of local_p in positions of the sentence, [queries, 1].
  Tensor centres(const Tensor& query, const Segments& segments) const;

  Settings settings_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
