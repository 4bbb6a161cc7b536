// The description of the settings of a model, and of what reads each of them.
#include <iterator>

#include "apps/translation/settings/names.h"
#include "apps/translation/settings/settings_description.h"

namespace regard::translation {
namespace {

/// Most positions with parameters of their own.
constexpr double most_positions = 1e6;

// What reads a setting of the model.

const Need transformer_parts{{{"model.encoder", "transformer patches"}}, {{"model.decoder", "transformer"}}};
const Need layered{{{"model.encoder", "transformer recurrent patches"}}};
const Need of_tokens{{{"model.encoder", "transformer"}}, {{"model.decoder", "transformer"}}};
const Need recurrent_parts{{{"model.encoder", "recurrent"}}, {{"model.decoder", "recurrent"}}};
const Need recurrent_encoder{{{"model.encoder", "recurrent"}}};
const Need recurrent_decoder{{{"model.decoder", "recurrent"}}};
const Need convolutional{{{"model.encoder", "convolutional"}}};
const Need patches{{{"model.encoder", "patches"}}};

/// A Transformer that reads tokens, with such positions.
Need with_positions(std::string_view kinds) {
  return {{{"model.positions.kind", kinds}, {"model.encoder", "transformer"}},
          {{"model.positions.kind", kinds}, {"model.decoder", "transformer"}}};
}

/// A recurrent decoder that looks at the memory, with such a value of a further setting.
Need looking(const std::vector<Condition>& further = {}, std::string_view kinds = "soft hard") {
  Need need{{{"model.decoder", "recurrent"}, {"model.attention.kind", kinds}}};
  need.front().insert(need.front().end(), further.begin(), further.end());
  return need;
}

void describe_attention(Description& table, transformer::RecurrentAttention& attention) {
  table.section("model.attention", "How a recurrent decoder looks at the memory.", {.need = looking()});
  table.field("model.attention.kind", attention.kind, recurrent_attention_kinds,
              "soft: the context is the mean of the memory under the weights (Bahdanau et al. 2015). hard: "
              "one position, drawn in training (Xu et al. 2015). none: the decoder gets the encoder's last "
              "state and nothing else.",
              {.need = recurrent_decoder});
  table.field("model.attention.score", attention.score, scores,
              "Score of a decoder state s and a memory row h. dot: s.h. scaled_dot: s.h/sqrt(d). general: s "
              "W h. additive: v.tanh(W s + U h). linear_concat: w.[s; h]. location: W s, by position. "
              "cosine: beta cos(s, h).");
  table.field("model.attention.normaliser", attention.normaliser, normalisers,
              "How scores become weights. sparsemax: Martins and Astudillo 2016. relu: max(0, score), "
              "divided by the sum.");
  table.field("model.attention.window", attention.window, windows,
              "Positions that a step looks at (Luong et al. 2015, section 3.2). global: all. local_m: those "
              "near its own position. local_p: those near a position that it predicts.");
  table.field("model.attention.radius", attention.radius, at_least(1),
              "D of the local windows: positions on either side.",
              {.need = looking({{"model.attention.window", "local_m local_p"}})});
  table.field("model.attention.order", attention.order, attention_orders,
              "context_first: look with the last state; the context enters the cell (Bahdanau et al. 2015). "
              "state_first: look with the new state (Luong et al. 2015).");
  table.field("model.attention.input_feeding", attention.input_feeding, Flag{},
              "The output of a step enters the next one (Luong et al. 2015, section 3.3).");
  table.field("model.attention.fixed_context", attention.fixed_context, Flag{},
              "Kind none: the encoder's last state enters every step (Cho et al. 2014), not only the first.",
              {.need = recurrent_decoder});
  table.field("model.attention.width", attention.width, size_from(0),
              "Score additive: width of W s + U h; 0: d_model.",
              {.need = looking({{"model.attention.score", "additive"}})});
  table.field("model.attention.positions", attention.positions, from_to(1, most_positions),
              "Score location: tokens of the longest source, with </s>.",
              {.need = looking({{"model.attention.score", "location"}})});
  table.field("model.attention.doubly_stochastic", attention.doubly_stochastic, at_least(0),
              "Kind soft: lambda of the term of the loss that wants each position to be looked at equally "
              "much altogether (Xu et al. 2015, section 4.2.1); 0: none.");
  table.section("model.attention.hard", "For kind hard (Xu et al. 2015, section 4.1).",
                {.need = looking({}, "hard")});
  table.field("model.attention.hard.expectation", attention.hard.expectation, Flag{},
              "After training, take the mean under the weights instead of the likeliest position.");
  table.field(
      "model.attention.hard.mean_share", attention.hard.mean_share, from_to(0, 1),
      "Share of the sentences that take the mean in training, too, because its gradient has no noise.");
  table.field("model.attention.hard.mean_steps", attention.hard.mean_steps, at_least(0),
              "Steps in which that share falls from 1 to mean_share, on a line.");
  table.field("model.attention.hard.reward_weight", attention.hard.reward_weight, at_least(0),
              "lambda_r: weight of the gradient that REINFORCE estimates.");
  table.field("model.attention.hard.entropy_weight", attention.hard.entropy_weight, at_least(0),
              "lambda_e: weight of the entropy of the weights.");
  table.field("model.attention.hard.baseline_decay", attention.hard.baseline_decay, from_to_below(0, 1),
              "Decay of the moving average of the rewards, per batch.");
}

void describe_recurrent(Description& table, transformer::RecurrentConfig& recurrent) {
  table.field("model.cell", recurrent.cell, cells,
              "Recurrent: gru (Cho et al. 2014) or lstm (Hochreiter and Schmidhuber 1997).",
              {.need = recurrent_parts});
  table.field("model.bidirectional", recurrent.bidirectional, Flag{},
              "Recurrent encoder: one recurrence from each end.", {.need = recurrent_encoder});
  table.field(
      "model.encoder_width", recurrent.encoder_width, size_from(0),
      "Recurrent encoder: width of the state in each direction; 0: d_model divided by the directions.",
      {.need = recurrent_encoder});
  table.field("model.reverse_source", recurrent.reverse_source, Flag{},
              "Recurrent encoder: read the source from its end (Sutskever et al. 2014, section 3.3).",
              {.need = recurrent_encoder});
  describe_attention(table, recurrent.attention);
}

void describe_images(Description& table, transformer::ImageConfig& image) {
  table.section("model.image", "Encoders of images.", {.need = convolutional});
  const Range window = from_to(1, transformer::greatest_window);
  table.field("model.image.channels", image.channels, WholeNumbers{size_from(1), transformer::most_layers},
              "convolutional: channels of each layer. There are as many layers as numbers.");
  table.field("model.image.strides", image.strides, WholeNumbers{window, transformer::most_layers},
              "convolutional: pixels by which the window of each layer moves. Height and width of an image "
              "are multiples of their product.");
  table.field("model.image.window", image.window, window,
              "convolutional: height and width of the window; odd.");
  table.field("model.image.patch_size", image.patch_size, from_to(1, 4096),
              "patches: height and width of a patch (Dosovitskiy et al. 2021). Those of an image are "
              "multiples of it.",
              {.need = patches});
}

}  // namespace

void describe_model(Description& table, ModelSettings& model) {
  table.section("model", "The shape of the model.", {.inheritance = Inheritance::equal});
  using transformer::SharedEmbeddings;
  transformer::Config& config = model.config;

  table.field("model.encoder", model.encoder,
              Choices<EncoderKind>{{{"transformer", EncoderKind::transformer},
                                    {"recurrent", EncoderKind::recurrent},
                                    {"convolutional", EncoderKind::convolutional},
                                    {"patches", EncoderKind::patches}}},
              "Kind of the encoder. Every encoder goes with every decoder. The source of convolutional (a "
              "convolutional network) and patches (Dosovitskiy et al. 2021) is an image.");
  table.field("model.decoder", model.decoder,
              Choices<DecoderKind>{
                  {{"transformer", DecoderKind::transformer}, {"recurrent", DecoderKind::recurrent}}},
              "Kind of the decoder.");
  table.field("model.d_model", config.d_model, size_from(1), "Width of the model.");
  table.field("model.heads", config.heads, size_from(1),
              "Transformer: attention heads; d_model must be a multiple of their number.",
              {.need = transformer_parts});
  table.field("model.d_ff", config.d_ff, size_from(1),
              "Transformer: inner width of the feed-forward networks.", {.need = transformer_parts});
  table.field("model.encoder_layers", config.encoder_layers, from_to(1, 1000), "Layers of the encoder.",
              {.need = layered});
  table.field("model.decoder_layers", config.decoder_layers, from_to(1, 1000), "Layers of the decoder.");
  table.field("model.activation", config.activation, activations,
              "Transformer: activation of the feed-forward networks: max(0, x), or x Phi(x) (Hendrycks and "
              "Gimpel 2016).",
              {.need = transformer_parts});
  table.field("model.norm", config.norm, norms,
              "Transformer. post: LayerNorm after each residual sum (Vaswani et al. 2017). pre: before each "
              "sublayer.",
              {.need = transformer_parts});
  table.field("model.final_norm", config.final_norm, Flag{},
              "Transformer: one more LayerNorm after the last layer of encoder and decoder; null: only with "
              "norm \"pre\".",
              {.need = transformer_parts});
  table.field("model.shared_embeddings", config.shared_embeddings,
              Choices<SharedEmbeddings>{{{"none", SharedEmbeddings::none},
                                         {"target_output", SharedEmbeddings::target_output},
                                         {"all", SharedEmbeddings::all}}},
              "target_output: the target embedding and the output projection are one matrix. all: the source "
              "embedding too. none: three matrices.");
  table
      .section("model.dropout", "Probability of dropping a value. One number sets all four.",
               {.inheritance = Inheritance::free})
      .takes_number = true;
  const Range probability = from_to_below(0, 1);
  table.field("model.dropout.embedding", config.dropout.embedding, probability,
              "For the sum of embedding and position; in a recurrent model for the embedding.");
  table.field("model.dropout.sublayer", config.dropout.sublayer, probability,
              "For a sublayer's output, before the residual sum; in a recurrent model between layers and on "
              "the decoder's output.");
  table.field("model.dropout.attention", config.dropout.attention, probability,
              "Transformer: for the attention weights.", {.need = transformer_parts});
  table.field("model.dropout.feed_forward", config.dropout.feed_forward, probability,
              "Transformer: for the inner values of the feed-forward networks.", {.need = transformer_parts});
  Need sinusoids = with_positions("sinusoidal");
  sinusoids.push_back({{"model.encoder", "convolutional patches"}});  // they encode the place of a pixel
  table.section("model.positions", "Transformer: how tokens learn their positions.", {.need = of_tokens});
  table.field("model.positions.kind", config.positions.kind, position_kinds,
              "sinusoidal: Vaswani et al. 2017, section 3.5. learned: a vector for each position. none: no "
              "positions.");
  table.field("model.positions.use", config.positions.use, position_uses,
              "added: to the embedding. concatenated: to it, and a linear map restores the width.",
              {.need = with_positions("sinusoidal learned")});
  table.field("model.positions.base", config.positions.base, above(1),
              "sinusoidal: the longest wavelength is 2 pi base.", {.need = sinusoids});
  table.field("model.positions.most", config.positions.most, from_to(1, most_positions),
              "learned: number of positions, on the source side and on the target side.",
              {.need = with_positions("learned")});
  describe_recurrent(table, model.recurrent);
  describe_images(table, model.image);
  table.field("model.preset", model.preset, one_of({std::begin(preset_names), std::end(preset_names)}),
              "Gives the values of the model settings that are not set.", {.inheritance = Inheritance::free});
  table.field(
      "model.own", model.own, Text{"a name, or \"\" for none"},
      "The name of a model that a program of its own makes with the library (model/make_model.h). regard "
      "refuses to train and to load it.");
}

}  // namespace regard::translation
