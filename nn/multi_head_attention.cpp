#include "nn/multi_head_attention.h"

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/attention_by_pairs.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {
/// The rows of W^Q, W^K and, unless the keys serve as values, W^V.
Index checked_rows(const MultiHeadAttention::Settings& settings) {
  check(settings);
  return (settings.variant.shared_key_value ? 2 : 3) * settings.d_model;
}

/// Concat(head_0, ..., head_(h-1)), [rows, d_model]: the operation writes each head into its own columns, so
/// nothing has to be concatenated. `weights` receives the attention weights unless it is null.
Tensor heads_of(const ColumnSlice& query, const MultiHeadAttention::KeyValue& memory,
                const Segments& segments, const AttentionOptions& options, Normaliser normaliser,
                AttentionWeights* weights) {
  const auto& [key, value] = memory;
  if (normaliser != Normaliser::softmax)
    return attention_by_pairs(query, key, value, segments, options, normaliser, weights);
  if (weights != nullptr) *weights = attention_weights(query, key, segments, options);
  return attention(query, key, value, segments, options);
}
}  // namespace

void check(const MultiHeadAttention::Settings& settings) {
  if (settings.heads < 1 || settings.d_model % settings.heads != 0)
    fail("heads ({}) must divide d_model ({})", settings.heads, settings.d_model);
  check(settings.positions, settings.d_model / settings.heads);
}

MultiHeadAttention::MultiHeadAttention(const Settings& settings, Random& random)
    : in_proj_weight(parameter(xavier_uniform(checked_rows(settings), settings.d_model, random))),
      in_proj_bias(parameter(Tensor::zeros({in_proj_weight.size(0)}))),
      out_proj(settings.d_model, settings.d_model, random),
      dropout(settings.dropout),
      settings_(settings),
      positions_(make_positions(settings.positions, PositionPlace::attention, settings.d_model,
                                settings.heads, random)) {}

// Vaswani et al. 2017, figure 2 at the right, from below: Q, K and V are linear maps of x. One product
// computes them side by side. Positions may turn queries and keys, but not the values.
Tensor MultiHeadAttention::self(const Tensor& x, const Segments& segments, Mask mask,
                                const History& history) {
  const Index d = settings_.d_model;
  const Tensor projected = linear(x, in_proj_weight, in_proj_bias);
  const Tensor turned = positions_->turned(projected, 2 * d, segments);
  const ColumnSlice query(turned, 0, d), key(turned, d, d);
  const KeyValue of_x{
      key, settings_.variant.shared_key_value ? ColumnSlice(projected, d, d) : ColumnSlice(turned, 2 * d, d)};
  return attend(query, history ? history(of_x) : of_x, segments, mask);
}

Tensor MultiHeadAttention::cross(const Tensor& x, const KeyValue& memory, const Segments& segments) {
  const Index d = settings_.d_model;
  const Tensor query = linear(x, slice(in_proj_weight, 0, 0, d), slice(in_proj_bias, 0, 0, d));
  return attend(query, memory, segments, Mask::none);
}

MultiHeadAttention::KeyValue MultiHeadAttention::key_value(const Tensor& memory) const {
  const Index d = settings_.d_model, end = in_proj_weight.size(0);
  const Tensor both = linear(memory, slice(in_proj_weight, 0, d, end), slice(in_proj_bias, 0, d, end));
  return {ColumnSlice(both, 0, d), ColumnSlice(both, both.size(1) - d, d)};
}

// The figure from there on: scaled dot-product attention of h heads, Concat, and the linear map W^O.
Tensor MultiHeadAttention::attend(const ColumnSlice& query, const KeyValue& memory, const Segments& segments,
                                  Mask mask) {
  AttentionOptions options{.heads = settings_.heads,
                           .causal = mask == Mask::causal,
                           .dropout = dropout.next(),
                           .scale = settings_.variant.scaled ? Real{0} : Real{1}};
  positions_->add_terms(options, query);
  AttentionWeights weights;
  const Tensor heads = heads_of(query, memory, segments, options, settings_.variant.normaliser,
                                is_recorded() ? &weights : nullptr);
  record(weights, AttentionInputs{query, memory.key, memory.value});
  return out_proj(without_heads_off(heads));
}

void MultiHeadAttention::visit(Visitor& visitor) {
  visitor("in_proj_weight", in_proj_weight);
  visitor("in_proj_bias", in_proj_bias);
  positions_->visit(visitor);
  visitor(dropout);
  visitor("out_proj", out_proj);
}

}}}  // namespace regard::REGARD_PRECISION::nn
