#include "transformer/recurrent/recurrent_config.h"

#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

RecurrentConfig recurrent_preset(const std::string& name) {
  if (name == "cho2014")
    return {.bidirectional = false,
            .attention = {.kind = RecurrentAttentionKind::none, .fixed_context = true}};
  if (name == "sutskever2014")
    return {.cell = nn::Cell::lstm,
            .encoder_layers = 2,
            .decoder_layers = 2,
            .bidirectional = false,
            .reverse_source = true,
            .attention = {.kind = RecurrentAttentionKind::none}};
  if (name == "bahdanau2015") return {};
  if (name == "luong2015")
    return {
        .cell = nn::Cell::lstm,
        .bidirectional = false,
        .attention = {
            .score = nn::ScoreKind::general, .order = AttentionOrder::state_first, .input_feeding = true}};
  if (name == "xu2015") return {.cell = nn::Cell::lstm, .bidirectional = false};
  fail("there is no preset {}; give cho2014, sutskever2014, bahdanau2015, luong2015 or xu2015", name);
}

namespace {

void check_attention(const RecurrentConfig& config) {
  const RecurrentAttention& a = config.attention;
  if (a.doubly_stochastic > 0 &&
      (a.kind != RecurrentAttentionKind::soft || a.window != nn::AttentionWindow::global))
    fail(
        "attention.doubly_stochastic is {}; it needs a weight for every position, so set attention.kind to "
        "soft "
        "and attention.window to global",
        a.doubly_stochastic);
  if (a.kind == RecurrentAttentionKind::none) {
    if (a.input_feeding)
      fail(
          "input feeding passes on what attention found, but attention.kind is none; set attention.kind to "
          "soft, or "
          "attention.input_feeding to false");
    return;
  }
  if (a.fixed_context)
    fail(
        "attention.fixed_context gives every step the same context, but attention.kind is not none; use one "
        "of them");
  constexpr Index widest = 1'000'000'000;
  if (a.window != nn::AttentionWindow::global && (a.radius < 1 || a.radius > widest))
    fail("attention.radius is {}; a local window needs a number from 1 to {}", a.radius, widest);
  if (a.kind == RecurrentAttentionKind::hard && a.window != nn::AttentionWindow::global)
    fail(
        "attention.kind is hard and attention.window is local; hard attention draws from all positions, so "
        "set the "
        "window to global");
  if (a.kind == RecurrentAttentionKind::hard && a.normaliser != Normaliser::softmax)
    fail(
        "attention.kind is hard; it draws from probabilities that are all above 0, so set "
        "attention.normaliser to "
        "softmax");
  const Index memory = config.directions() * config.width_per_direction();
  if (!a.own_score && nn::needs_equal_widths(a.score) && memory != config.d_model)
    fail(
        "the scores dot, scaled_dot and cosine need equal widths, but the memory has {} and the decoder's "
        "state {}; "
        "set encoder_width to {}, or attention.score to general or additive",
        memory, config.d_model, config.d_model / config.directions());
}

}  // namespace

void check(const RecurrentConfig& config) {
  if (config.d_model < 1 || config.encoder_layers < 1 || config.decoder_layers < 1)
    fail("d_model is {}, encoder_layers is {} and decoder_layers is {}; each must be at least 1",
         config.d_model, config.encoder_layers, config.decoder_layers);
  if (config.encoder_width == 0 && config.d_model % config.directions() != 0)
    fail("d_model is {}; a bidirectional encoder needs an even number, or an encoder_width", config.d_model);
  check_attention(config);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
