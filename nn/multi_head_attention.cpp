#include "nn/multi_head_attention.h"

#include <algorithm>
#include <cmath>

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

/// 2^(-8 h / heads) for h = 1 .. heads (Press et al. 2022, section 3, for a power of two; here for any number
/// of heads).
std::vector<Real> alibi_slopes(Index heads) {
  std::vector<Real> slopes;
  for (Index h = 1; h <= heads; ++h)
    slopes.push_back(static_cast<Real>(std::exp2(-8 * static_cast<double>(h) / static_cast<double>(heads))));
  return slopes;
}

/// The position of each row: the last row of a sentence has that of its last key.
std::vector<std::int32_t> positions_of(Index rows, const Segments& segments) {
  std::vector<std::int32_t> positions(to_size(rows), 0);
  for (const Segment& s : segments)
    for (Index row = s.query_begin; row < s.query_end; ++row)
      positions[to_size(row)] = static_cast<std::int32_t>(s.key_end - s.key_begin - (s.query_end - row));
  return positions;
}
}  // namespace

void check(const MultiHeadAttention::Settings& settings) {
  if (settings.heads < 1 || settings.d_model % settings.heads != 0)
    fail("heads ({}) must divide d_model ({})", settings.heads, settings.d_model);
  const Index d_k = settings.d_model / settings.heads;
  if (settings.positions.kind == PositionKind::rotary && d_k % 2 != 0)
    fail("rotary positions turn pairs of columns, but a head has {} (d_model / heads); it must be even", d_k);
}

MultiHeadAttention::MultiHeadAttention(const Settings& settings, Random& random)
    : in_proj_weight(parameter(xavier_uniform(checked_rows(settings), settings.d_model, random))),
      in_proj_bias(parameter(Tensor::zeros({in_proj_weight.size(0)}))),
      out_proj(settings.d_model, settings.d_model, random),
      dropout(settings.dropout),
      settings_(settings),
      rotation_(settings.d_model / settings.heads, settings.positions.base) {
  const Index distances = 2 * settings.positions.radius + 1;
  if (has(PositionKind::relative))
    relative_keys = parameter(xavier_uniform(distances, settings.d_model / settings.heads, random));
  if (has(PositionKind::alibi)) slopes_ = alibi_slopes(settings.heads);
}

Tensor MultiHeadAttention::project_query(const Tensor& x) const {
  return linear(x, slice(in_proj_weight, 0, 0, d_model()), slice(in_proj_bias, 0, 0, d_model()));
}

Tensor MultiHeadAttention::project_key_value(const Tensor& memory) const {
  const Index end = in_proj_weight.size(0);
  return linear(memory, slice(in_proj_weight, 0, d_model(), end), slice(in_proj_bias, 0, d_model(), end));
}

Tensor MultiHeadAttention::project_query_key_value(const Tensor& x) const {
  return linear(x, in_proj_weight, in_proj_bias);
}

// Su et al. 2021, eq. 34, whose d is the width of a head: queries and keys of position m turn by m theta_i,
// with theta_i = base^(-2i/d_k). These are the angles of the sinusoidal encoding.
MultiHeadAttention::Projected MultiHeadAttention::project_self(const Tensor& x, const Segments& segments) {
  const Tensor projected = project_query_key_value(x);
  const Index d = d_model();
  const Index value = projected.size(1) - d;  // shared: the keys
  if (!has(PositionKind::rotary))
    return {ColumnSlice(projected, 0, d), ColumnSlice(projected, d, d), ColumnSlice(projected, value, d)};
  const std::vector<std::int32_t> positions = positions_of(x.size(0), segments);
  const Index last = positions.empty() ? 0 : *std::ranges::max_element(positions);
  const Tensor turned = rotary(projected, 2 * d, rotation_.table(last), positions);
  // Shared values are the keys before they turn.
  const Tensor& values = settings_.variant.shared_key_value ? projected : turned;
  return {ColumnSlice(turned, 0, d), ColumnSlice(turned, d, d), ColumnSlice(values, value, d)};
}

MultiHeadAttention::KeyValue MultiHeadAttention::split(const Tensor& key_value) const {
  const Index d = d_model();
  return {ColumnSlice(key_value, 0, d), ColumnSlice(key_value, key_value.size(1) - d, d)};
}

// q_t . a_c for each head and each clipped distance c (Shaw et al. 2018, eq. 5, its second term). The heads
// of a query are rows of their own here, so one product computes all.
Tensor MultiHeadAttention::relative_scores(const ColumnSlice& query) const {
  if (!relative_keys) return {};
  const Tensor q = slice(query.matrix, 1, query.first, query.first + query.width);
  const Index rows = q.size(0) * settings_.heads;
  return linear(reshape(q, {rows, relative_keys.size(1)}), relative_keys, {});
}

// Concat(head_0, ..., head_(h-1)) W^O (Vaswani et al. 2017, section 3.2.2). The heads are columns of one
// matrix: `attention` writes each head into its own columns, so nothing has to be concatenated.
Tensor MultiHeadAttention::attend(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                                  const Segments& segments, Mask mask) {
  const AttentionOptions options{.heads = settings_.heads,
                                 .causal = mask == Mask::causal,
                                 .dropout = dropout.next(),
                                 .scale = settings_.variant.scaled ? Real{0} : Real{1},
                                 .slopes = slopes_,
                                 .relative = relative_scores(query)};
  if (settings_.variant.normaliser != Normaliser::softmax) {
    AttentionWeights weights;
    const Tensor rows = attention_by_pairs(query, key, value, segments, options, settings_.variant.normaliser,
                                           is_recorded() ? &weights : nullptr);
    record(weights);
    return out_proj(without_heads_off(rows));
  }
  if (is_recorded()) record(attention_weights(query, key, segments, options));
  return out_proj(without_heads_off(attention(query, key, value, segments, options)));
}

Tensor MultiHeadAttention::self(const Tensor& x, const Segments& segments, Mask mask) {
  const auto [query, key, value] = project_self(x, segments);
  return attend(query, key, value, segments, mask);
}

Tensor MultiHeadAttention::cross(const Tensor& x, const Tensor& memory, const Segments& segments) {
  const Tensor key_value = project_key_value(memory);
  const auto [key, value] = split(key_value);
  return attend(project_query(x), key, value, segments, Mask::none);
}

void MultiHeadAttention::visit(Visitor& visitor) {
  visitor("in_proj_weight", in_proj_weight);
  visitor("in_proj_bias", in_proj_bias);
  if (relative_keys) visitor("relative_keys", relative_keys);
  visitor(dropout);
  visitor("out_proj", out_proj);
}

}}}  // namespace regard::REGARD_PRECISION::nn
