#pragma once

#include <vector>

#include "autograd/ops/attention.h"
#include "autograd/ops/ranges.h"
#include "nn/attention_module.h"
#include "nn/layers.h"
#include "nn/positional_encoding.h"

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
    double dropout = 0;         ///< on the attention weights
    bool reads_memory = false;  ///< for cross(), not for self()
    /// Positions, for self(). Only the kinds relative, rotary and alibi are in an attention.
    PositionalEncoding::Settings positions = {};
    Variant variant = {};
  };
  /// Throws Error for settings that do not go together (check).
  MultiHeadAttention(const Settings& settings, Random& random);

  /// The keys that a query sees: all keys of its sentence, or those up to its own position. With a
  /// cache, the last query has the position of the last key.
  enum class Mask { none, causal };

  /// x attends to itself: in `segments`, the queries of a sentence are its keys. One product computes
  /// queries, keys and values side by side.
  Tensor self(const Tensor& x, const Segments& segments, Mask mask);
  /// x attends to a memory: queries from x, keys and values from the memory.
  Tensor cross(const Tensor& x, const Tensor& memory, const Segments& segments);

  // The steps of self() and cross(), for decoding, which keeps keys and values from one call to the next.
  // Where keys and values are shared, the products have no columns for values.
  Tensor project_query(const Tensor& x) const;            ///< [rows, d_model]
  Tensor project_key_value(const Tensor& memory) const;   ///< [rows, 2 d_model]: keys, then values
  Tensor project_query_key_value(const Tensor& x) const;  ///< [rows, 3 d_model]
  struct Projected {
    ColumnSlice query, key, value;
  };
  /// The same with rotary positions, if the settings say so. The keys in `segments` may begin before x: the
  /// last row of a sentence has the position of its last key.
  Projected project_self(const Tensor& x, const Segments& segments);
  struct KeyValue {
    ColumnSlice key, value;
  };
  /// The columns of project_key_value(...), or of a cache with rows of 2 d_model numbers.
  KeyValue split(const Tensor& key_value) const;
  Tensor attend(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                const Segments& segments, Mask mask);

  void visit(Visitor& visitor) override;
  Index heads() const override { return settings_.heads; }
  bool reads_memory() const override { return settings_.reads_memory; }
  Index d_model() const { return settings_.d_model; }

  Tensor in_proj_weight, in_proj_bias;
  Tensor relative_keys;  ///< relative positions: a_c of each distance, [2 radius + 1, d_k], for all heads
  Linear out_proj;
  Dropout dropout;

 private:
  Tensor relative_scores(const ColumnSlice& query) const;
  bool has(PositionKind kind) const { return settings_.positions.kind == kind; }

  Settings settings_;
  std::vector<Real> slopes_;               ///< of ALiBi
  SinusoidalPositionalEncoding rotation_;  ///< sines and cosines of the angles of rotary positions
};

/// Throws Error unless heads divides d_model, and for rotary positions unless d_model / heads is even.
void check(const MultiHeadAttention::Settings& settings);

}}}  // namespace regard::REGARD_PRECISION::nn
