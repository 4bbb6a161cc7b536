#pragma once

#include <iterator>

#include "apps/translation/settings/model_settings.h"
#include "apps/translation/settings/names.h"
#include "apps/translation/settings/settings_kinds.h"

namespace regard::translation {

/// `number`: one number can replace the section and sets all its fields.
enum class Shorthand { none, number };

/// Most positions with parameters of their own.
constexpr double most_positions = 1e6;

// The description of the settings of a model; settings_description.h says what a visitor does.

template <class Visitor>
void describe_attention(Visitor& visit, transformer::RecurrentAttention& attention) {
  using transformer::AttentionOrder;
  visit.field("kind", attention.kind, recurrent_attention_kinds,
              "soft: the context is the mean of the memory under the weights (Bahdanau et al. 2015). hard: "
              "one position, "
              "drawn in training (Xu et al. 2015). none: the decoder gets the encoder's last state and "
              "nothing else.");
  visit.field(
      "score", attention.score, scores,
      "Score of a decoder state s and a memory row h. dot: s.h. scaled_dot: s.h/sqrt(d). general: s W h. "
      "additive: "
      "v.tanh(W s + U h). linear_concat: w.[s; h]. location: W s, by position. cosine: beta cos(s, h).");
  visit.field("normaliser", attention.normaliser, normalisers,
              "How scores become weights. sparsemax: Martins and Astudillo 2016. relu: max(0, score), "
              "divided by the sum.");
  visit.field("window", attention.window, windows,
              "Positions that a step looks at (Luong et al. 2015, section 3.2). global: all. local_m: those "
              "near its own "
              "position. local_p: those near a position that it predicts.");
  visit.field("radius", attention.radius, at_least(1), "D of the local windows: positions on either side.");
  visit.field("order", attention.order, attention_orders,
              "context_first: look with the last state; the context enters the cell (Bahdanau et al. 2015). "
              "state_first: "
              "look with the new state (Luong et al. 2015).");
  visit.field("input_feeding", attention.input_feeding, Flag{},
              "The output of a step enters the next one (Luong et al. 2015, section 3.3).");
  visit.field("fixed_context", attention.fixed_context, Flag{},
              "Kind none: the encoder's last state enters every step (Cho et al. 2014), not only the first.");
  visit.field("width", attention.width, size_from(0), "Score additive: width of W s + U h; 0: d_model.");
  visit.field("positions", attention.positions, from_to(1, most_positions),
              "Score location: tokens of the longest source, with </s>.");
  visit.field(
      "doubly_stochastic", attention.doubly_stochastic, at_least(0),
      "Kind soft: lambda of the term of the loss that wants each position to be looked at equally much "
      "altogether (Xu et al. 2015, section 4.2.1); 0: none.");
  visit.section("hard", Shorthand::none, "For kind hard (Xu et al. 2015, section 4.1).", [&] {
    visit.field("expectation", attention.hard.expectation, Flag{},
                "After training, take the mean under the weights instead of the likeliest position.");
    visit.field(
        "mean_share", attention.hard.mean_share, from_to(0, 1),
        "Share of the sentences that take the mean in training, too, because its gradient has no noise.");
    visit.field("mean_steps", attention.hard.mean_steps, at_least(0),
                "Steps in which that share falls from 1 to mean_share, on a line.");
    visit.field("reward_weight", attention.hard.reward_weight, at_least(0),
                "lambda_r: weight of the gradient that REINFORCE estimates.");
    visit.field("entropy_weight", attention.hard.entropy_weight, at_least(0),
                "lambda_e: weight of the entropy of the weights.");
    visit.field("baseline_decay", attention.hard.baseline_decay, from_to_below(0, 1),
                "Decay of the moving average of the rewards, per batch.");
  });
}

template <class Visitor>
void describe_recurrent(Visitor& visit, transformer::RecurrentConfig& recurrent) {
  visit.field("cell", recurrent.cell, cells,
              "Recurrent: gru (Cho et al. 2014) or lstm (Hochreiter and Schmidhuber 1997).");
  visit.field("bidirectional", recurrent.bidirectional, Flag{},
              "Recurrent encoder: one recurrence from each end.");
  visit.field(
      "encoder_width", recurrent.encoder_width, size_from(0),
      "Recurrent encoder: width of the state in each direction; 0: d_model divided by the directions.");
  visit.field("reverse_source", recurrent.reverse_source, Flag{},
              "Recurrent encoder: read the source from its end (Sutskever et al. 2014, section 3.3).");
  visit.section("attention", Shorthand::none, "How a recurrent decoder looks at the memory.",
                [&] { describe_attention(visit, recurrent.attention); });
}

template <class Visitor>
void describe_images(Visitor& visit, transformer::ImageConfig& image) {
  visit.section("image", Shorthand::none, "Encoders of images.", [&] {
    const Range window = from_to(1, transformer::greatest_window);
    visit.field("channels", image.channels, WholeNumbers{size_from(1), transformer::most_layers},
                "convolutional: channels of each layer. There are as many layers as numbers.");
    visit.field(
        "strides", image.strides, WholeNumbers{window, transformer::most_layers},
        "convolutional: pixels by which the window of each layer moves. Height and width of an image are "
        "multiples of their product.");
    visit.field("window", image.window, window, "convolutional: height and width of the window; odd.");
    visit.field(
        "patch_size", image.patch_size, from_to(1, 4096),
        "patches: height and width of a patch (Dosovitskiy et al. 2021). Those of an image are multiples "
        "of it.");
  });
}

template <class Visitor>
void describe_model(Visitor& visit, ModelSettings& model) {
  using transformer::SharedEmbeddings;
  transformer::Config& config = model.config;
  visit.preset_values([&] {
    visit.field("encoder", model.encoder,
                Choices<EncoderKind>{{{"transformer", EncoderKind::transformer},
                                      {"recurrent", EncoderKind::recurrent},
                                      {"convolutional", EncoderKind::convolutional},
                                      {"patches", EncoderKind::patches}}},
                "Kind of the encoder. Every encoder goes with every decoder. The source of convolutional (a "
                "convolutional network) and patches (Dosovitskiy et al. 2021) is an image.");
    visit.field("decoder", model.decoder,
                Choices<DecoderKind>{
                    {{"transformer", DecoderKind::transformer}, {"recurrent", DecoderKind::recurrent}}},
                "Kind of the decoder.");
    visit.field("d_model", config.d_model, size_from(1), "Width of the model.");
    visit.field("heads", config.heads, size_from(1),
                "Transformer: attention heads; d_model must be a multiple of their number.");
    visit.field("d_ff", config.d_ff, size_from(1), "Transformer: inner width of the feed-forward networks.");
    visit.field("encoder_layers", config.encoder_layers, from_to(1, 1000), "Layers of the encoder.");
    visit.field("decoder_layers", config.decoder_layers, from_to(1, 1000), "Layers of the decoder.");
    visit.field(
        "activation", config.activation, activations,
        "Transformer: activation of the feed-forward networks: max(0, x), or x Phi(x) (Hendrycks and Gimpel "
        "2016).");
    visit.field("norm", config.norm, norms,
                "Transformer. post: LayerNorm after each residual sum (Vaswani et al. 2017). pre: before "
                "each sublayer.");
    visit.field(
        "final_norm", config.final_norm, Flag{},
        "Transformer: one more LayerNorm after the last layer of encoder and decoder; null: only with norm "
        "\"pre\".");
    visit.field("shared_embeddings", config.shared_embeddings,
                Choices<SharedEmbeddings>{{{"none", SharedEmbeddings::none},
                                           {"target_output", SharedEmbeddings::target_output},
                                           {"all", SharedEmbeddings::all}}},
                "target_output: the target embedding and the output projection are one matrix. all: the "
                "source embedding too. none: three matrices.");
    visit.section(
        "dropout", Shorthand::number, "Probability of dropping a value. One number sets all four.", [&] {
          const Range probability = from_to_below(0, 1);
          visit.field("embedding", config.dropout.embedding, probability,
                      "For the sum of embedding and position; in a recurrent model for the embedding.");
          visit.field(
              "sublayer", config.dropout.sublayer, probability,
              "For a sublayer's output, before the residual sum; in a recurrent model between layers and "
              "on the decoder's output.");
          visit.field("attention", config.dropout.attention, probability,
                      "Transformer: for the attention weights.");
          visit.field("feed_forward", config.dropout.feed_forward, probability,
                      "Transformer: for the inner values of the feed-forward networks.");
        });
    visit.section("positions", Shorthand::none, "Transformer: how tokens learn their positions.", [&] {
      visit.field("kind", config.positions.kind, position_kinds,
                  "sinusoidal: Vaswani et al. 2017, section 3.5. learned: a vector for each position. none: "
                  "no positions.");
      visit.field("use", config.positions.use, position_uses,
                  "added: to the embedding. concatenated: to it, and a linear map restores the width.");
      visit.field("base", config.positions.base, above(1),
                  "sinusoidal: the longest wavelength is 2 pi base.");
      visit.field("most", config.positions.most, from_to(1, most_positions),
                  "learned: number of positions, on the source side and on the target side.");
    });
    describe_recurrent(visit, model.recurrent);
    describe_images(visit, model.image);
  });
  visit.field("preset", model.preset, one_of({std::begin(preset_names), std::end(preset_names)}),
              "Gives the values of the model settings that are not set.");
}

}  // namespace regard::translation
