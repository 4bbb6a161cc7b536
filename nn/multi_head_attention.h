#pragma once

#include <functional>
#include <memory>

#include "autograd/ops/attention.h"
#include "autograd/ops/ranges.h"
#include "nn/attention_module.h"
#include "nn/layers.h"
#include "nn/positions.h"

// The attention of the Transformer, with its weights.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// MultiHead(Q, K, V) = Concat(head_0, …, head_(h-1)) W^O, head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)
/// (Vaswani et al. 2017, section 3.2.2). As in PyTorch, in_proj_weight[3 d_model, d_model] holds W^Q, W^K and
/// W^V one below the other; head i has the rows i d_k .. (i+1) d_k of each. out_proj is W^O.
class MultiHeadAttention : public AttentionModule {
 public:
  /// Differences from the paper.
  struct Variant {
    bool scaled = true;  ///< scores are divided by sqrt(d_k) (Vaswani et al. 2017, section 3.2.1)
    Normaliser normaliser = Normaliser::softmax;
    /// The values are the keys (without rotary positions, which are for scores alone). There is no W^V:
    /// in_proj_weight is [2 d_model, d_model].
    bool shared_key_value = false;
  };
  struct Settings {
    Index d_model;
    Index heads;
    double dropout = 0;                  ///< on the attention weights
    bool reads_memory = false;           ///< for cross(), not for self()
    Positions::Settings positions = {};  ///< for self(); those of PositionPlace::attention
    Variant variant = {};
  };
  /// Throws Error for settings that do not go together (check).
  MultiHeadAttention(const Settings& settings, Random& random);

  /// The keys that a query sees: all keys of its sentence, or those up to its own position. With a
  /// history, the last query has the position of the last key.
  enum class Mask { none, causal };

  /// Keys and values, [rows, d_model] each.
  struct KeyValue {
    ColumnSlice key, value;
  };
  /// Takes the keys and values of new rows, and returns those of all rows that the segments number as keys.
  using History = std::function<KeyValue(const KeyValue&)>;

  /// x attends to itself: in `segments`, the queries of a sentence are its keys. With a history, the keys of
  /// a sentence may begin before x.
  Tensor self(const Tensor& x, const Segments& segments, Mask mask, const History& history = {});
  /// x attends to a memory: queries from x, keys and values from the memory (key_value).
  Tensor cross(const Tensor& x, const KeyValue& memory, const Segments& segments);
  KeyValue key_value(const Tensor& memory) const;  ///< memory W^K and memory W^V, for cross()

  void visit(Visitor& visitor) override;
  Index heads() const override { return settings_.heads; }
  bool reads_memory() const override { return settings_.reads_memory; }

  Tensor in_proj_weight, in_proj_bias;
  Linear out_proj;
  Dropout dropout;

 private:
  Tensor attend(const ColumnSlice& query, const KeyValue& memory, const Segments& segments, Mask mask);

  Settings settings_;
  std::unique_ptr<Positions> positions_;
};

/// Throws Error unless heads divides d_model, and for rotary positions unless d_model / heads is even.
void check(const MultiHeadAttention::Settings& settings);

}}}  // namespace regard::REGARD_PRECISION::nn
