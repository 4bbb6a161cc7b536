#include "apps/exchange/names.h"

#include <array>
#include <string_view>

#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace foreign {

namespace {

using transformer::Config;

/// The shape of our weight: all projections of queries, keys and values one below the other
/// [3 d_model, d_model], [d_model, d_model], [d_ff, d_model], [d_model, d_ff] or [d_model]. Biases have as
/// many numbers as the weight has rows; a bare_projection has none.
enum Kind { three_projections, projection, bare_projection, widening, narrowing, norm };

/// Layers of an encoder, of a decoder with self-attention, and of one with SSRUs; and sums of them.
enum Side { encoder = 1, attending_decoder = 2, ssru_decoder = 4, attending = 3, decoder = 6, both = 7 };

/// A linear layer or a norm. Names contain * for weight and bias.
struct Row {
  Kind kind;
  const char* ours;
  std::array<const char*, 3> theirs;  ///< in the order of Program; null: the program has it in other parts
  Side side;
  Index begin = 0, end = 3;  ///< which thirds of our rows, where there are three projections
};

// clang-format off
constexpr Row rows[]{
  {three_projections, "self_attn.in_proj_*", {"self_attn.q_proj.*", "self_*q"}, attending, 0, 1},
  {three_projections, "self_attn.in_proj_*", {"self_attn.k_proj.*", "self_*k"}, attending, 1, 2},
  {three_projections, "self_attn.in_proj_*", {"self_attn.v_proj.*", "self_*v"}, attending, 2, 3},
  {three_projections, "self_attn.in_proj_*", {nullptr, nullptr, "self_attention/linear_0/*"}, attending},
  {projection, "self_attn.out_proj.*", {"self_attn.out_proj.*", "self_*o", "self_attention/linear_1/*"}, attending},
  {norm, "norm1.*", {"self_attn_layer_norm.*", "self_Wo_ln_*", "self_attention/layer_norm/*"}, attending},
  {bare_projection, "ssru.input.*", {nullptr, "rnn_*"}, ssru_decoder},
  {projection, "ssru.forget.*", {nullptr, "rnn_*f"}, ssru_decoder},
  {norm, "norm1.*", {nullptr, "rnn_ffn_ln_*"}, ssru_decoder},
  {three_projections, "multihead_attn.in_proj_*", {"encoder_attn.q_proj.*", "context_*q", "attention/linear_0/*"}, decoder, 0, 1},
  {three_projections, "multihead_attn.in_proj_*", {"encoder_attn.k_proj.*", "context_*k"}, decoder, 1, 2},
  {three_projections, "multihead_attn.in_proj_*", {"encoder_attn.v_proj.*", "context_*v"}, decoder, 2, 3},
  {three_projections, "multihead_attn.in_proj_*", {nullptr, nullptr, "attention/linear_1/*"}, decoder, 1, 3},
  {projection, "multihead_attn.out_proj.*", {"encoder_attn.out_proj.*", "context_*o", "attention/linear_2/*"}, decoder},
  {norm, "norm2.*", {"encoder_attn_layer_norm.*", "context_Wo_ln_*", "attention/layer_norm/*"}, decoder},
  {widening, "linear1.*", {"fc1.*", "ffn_*1", "ffn/linear_0/*"}, both},
  {narrowing, "linear2.*", {"fc2.*", "ffn_*2", "ffn/linear_1/*"}, both},
  {norm, "norm2.*", {"final_layer_norm.*", "ffn_ffn_ln_*", "ffn/layer_norm/*"}, encoder},
  {norm, "norm3.*", {"final_layer_norm.*", "ffn_ffn_ln_*", "ffn/layer_norm/*"}, decoder}};
// clang-format on

/// What * is in the names of a program.
struct WeightAndBias {
  const char *weight, *bias, *norm_weight, *norm_bias;
};
constexpr WeightAndBias our_words{"weight", "bias", "weight", "bias"};
constexpr std::array<WeightAndBias, 3> their_words{
    {our_words, {"W", "b", "scale", "bias"}, {"weight", "bias", "gamma", "beta"}}};

constexpr std::array<TokenMatrices, 3> token_names{
    {{"model.shared.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
      "lm_head.weight", "final_logits_bias"},
     {"Wemb", "encoder_Wemb", "decoder_Wemb", "decoder_ff_logit_out_Wt", "decoder_ff_logit_out_b",
      "decoder_ff_logit_out_W"},
     {nullptr, "encoder/embeddings_0/weight", "decoder/embeddings/weight", "decoder/projection/weight",
      "decoder/projection/bias"}}};

std::string filled_in(std::string_view pattern, const WeightAndBias& words, Kind kind, bool bias) {
  const char* const word =
      kind == norm ? (bias ? words.norm_bias : words.norm_weight) : (bias ? words.bias : words.weight);
  const std::size_t star = pattern.find('*');
  return fmt::format("{}{}{}", pattern.substr(0, star), word, pattern.substr(star + 1));
}

Shape shape_of(Kind kind, const Config& config) {
  const Index width = config.d_model;
  switch (kind) {
    case three_projections:
      return {3 * width, width};
    case projection:
    case bare_projection:
      return {width, width};
    case widening:
      return {config.d_ff, width};
    case narrowing:
      return {width, config.d_ff};
    case norm:
      return {width};
  }
  fail("there is no kind of weights {}", static_cast<int>(kind));
}

std::string layer_of(Program program, const std::string& side, Index number) {
  switch (program) {
    case Program::hugging_face:
      return fmt::format("model.{}.layers.{}.", side, number);
    case Program::marian:
      return fmt::format("{}_l{}_", side, number + 1);
    case Program::ctranslate2:
      return fmt::format("{}/layer_{}/", side, number);
  }
  fail("there is no program {}", static_cast<int>(program));
}

void visit_layer(Program program, const Config& config, Side side, Index number,
                 const std::function<void(const NamedPart&)>& visit) {
  const auto column = static_cast<std::size_t>(program);
  const std::string name = side == encoder ? "encoder" : "decoder",
                    here = fmt::format("{}.layers.{}.", name, number),
                    there = layer_of(program, name, number);
  for (const Row& row : rows) {
    if (row.theirs[column] == nullptr || (row.side & side) == 0) continue;
    const Shape weight = shape_of(row.kind, config);
    const Index begin = weight[0] * row.begin / 3, count = weight[0] * row.end / 3 - begin;
    const auto visit_part = [&](bool bias, const Shape& whole, const Shape& part, Index first) {
      visit({here + filled_in(row.ours, our_words, row.kind, bias),
             there + filled_in(row.theirs[column], their_words[column], row.kind, bias), whole, part, first});
    };
    const bool is_matrix = weight.rank() == 2;
    visit_part(false, weight, is_matrix ? Shape{count, weight[1]} : Shape{count},
               begin * weight.size_from(1));
    if (row.kind != bare_projection) visit_part(true, {weight[0]}, {count}, begin);
  }
}

}  // namespace

void for_each_part(Program program, const Config& config, std::string_view decoder_kind,
                   const std::function<void(const NamedPart&)>& visit) {
  const Side side = decoder_kind == "ssru" ? ssru_decoder : attending_decoder;
  for (Index i = 0; i < config.encoder_layers; ++i) visit_layer(program, config, encoder, i, visit);
  for (Index i = 0; i < config.decoder_layers; ++i) visit_layer(program, config, side, i, visit);
  if (program != Program::hugging_face || !config.has_final_norm()) return;
  for (const std::string stack : {"encoder", "decoder"})
    for (const char* const word : {"weight", "bias"})
      visit({fmt::format("{}.norm.{}", stack, word),
             fmt::format("model.{}.layer_norm.{}", stack, word),
             {config.d_model},
             {config.d_model},
             0});
}

TokenMatrices token_matrices(Program program) { return token_names[static_cast<std::size_t>(program)]; }

}}}  // namespace regard::REGARD_PRECISION::foreign
