#include "nn/multi_head_attention.h"

#include "autograd/error.h"
#include "autograd/ops.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {
Index checked_heads(const MultiHeadAttention::Settings& settings) {
  if (settings.heads < 1 || settings.d_model % settings.heads != 0)
    fail("heads ({}) must divide d_model ({})", settings.heads, settings.d_model);
  return settings.heads;
}
}  // namespace

MultiHeadAttention::MultiHeadAttention(const Settings& settings, Random& random)
    : in_proj_weight(parameter(xavier_uniform(3 * settings.d_model, settings.d_model, random))),
      in_proj_bias(parameter(Tensor::zeros({3 * settings.d_model}))),
      out_proj(settings.d_model, settings.d_model, random),
      dropout(settings.dropout),
      head_mask(checked_heads(settings)),
      settings_(settings) {}

Tensor MultiHeadAttention::project_query(const Tensor& x) const {
  return linear(x, slice(in_proj_weight, 0, 0, d_model()), slice(in_proj_bias, 0, 0, d_model()));
}

Tensor MultiHeadAttention::project_key_value(const Tensor& memory) const {
  return linear(memory, slice(in_proj_weight, 0, d_model(), 3 * d_model()),
                slice(in_proj_bias, 0, d_model(), 3 * d_model()));
}

Tensor MultiHeadAttention::project_query_key_value(const Tensor& x) const {
  return linear(x, in_proj_weight, in_proj_bias);
}

// Concat(head_0, ..., head_(h-1)) W^O (Vaswani et al. 2017, section 3.2.2). The heads are columns of one
// matrix: `attention` writes each head into its own columns, so nothing has to be concatenated.
Tensor MultiHeadAttention::attend(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                                  const Segments& segments, Mask mask, Weights* weights) {
  const AttentionOptions options{
      .heads = settings_.heads, .causal = mask == Mask::causal, .dropout = dropout.next()};
  if (weights != nullptr) *weights = attention_weights(query, key, segments, options);
  return out_proj(head_mask(attention(query, key, value, segments, options)));
}

Tensor MultiHeadAttention::self(const Tensor& x, const Segments& segments, Mask mask, Weights* weights) {
  const Tensor projected = project_query_key_value(x);
  const Index d = d_model();
  return attend(ColumnSlice(projected, 0, d), ColumnSlice(projected, d, d), ColumnSlice(projected, 2 * d, d),
                segments, mask, weights);
}

Tensor MultiHeadAttention::cross(const Tensor& x, const Tensor& memory, const Segments& segments,
                                 Weights* weights) {
  const Tensor key_value = project_key_value(memory);
  const Index d = d_model();
  return attend(project_query(x), ColumnSlice(key_value, 0, d), ColumnSlice(key_value, d, d), segments,
                Mask::none, weights);
}

void MultiHeadAttention::visit(Visitor& visitor) {
  visitor("in_proj_weight", in_proj_weight);
  visitor("in_proj_bias", in_proj_bias);
  visitor(dropout);
  visitor(head_mask);
  visitor("out_proj", out_proj);
}

}}}  // namespace regard::REGARD_PRECISION::nn
