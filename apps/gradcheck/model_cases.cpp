#include <array>
#include <memory>
#include <utility>

#include "apps/gradcheck/modules.h"
#include "transformer/captions/convolutional_encoder.h"
#include "transformer/captions/image.h"
#include "transformer/captions/patch_encoder.h"
#include "transformer/convolution/text_encoder.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/self_attention/layers.h"
#include "transformer/self_attention/transformer.h"

namespace regard::gradcheck_table {

namespace {

using transformer::Config;
using transformer::Norm;
using transformer::SharedEmbeddings;

Config small_config() {
  return {.source_vocabulary = 7,
          .target_vocabulary = 7,
          .d_model = 8,
          .heads = 2,
          .d_ff = 12,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .shared_embeddings = SharedEmbeddings::none,
          .dropout = transformer::DropoutRates::all(0.1)};
}

/// Three sentence pairs of different lengths.
transformer::Batch small_batch() {
  using Ids = std::vector<std::int32_t>;
  transformer::Batch batch;
  for (const Ids& source : {Ids{4, 5, 6, 2}, Ids{5, 2}, Ids{6, 4, 2}}) batch.source.append(source);
  for (const Ids& target : {Ids{1, 5, 4}, Ids{1, 6, 6, 4, 5}, Ids{1, 4}}) batch.target_input.append(target);
  batch.target_output = {5, 4, 2, 6, 6, 4, 5, 2, 4, 2};
  return batch;
}

void add_layers(std::vector<GradientCase>& cases) {
  const Segments self = segments({0, 3, 5}, {0, 3, 5}), cross = segments({0, 3, 5}, {0, 2, 6});
  const auto add = [&](const std::string& name, Norm norm, bool residual) {
    Config config = small_config();
    config.norm = norm;
    config.residual = residual;
    add_module(cases, "EncoderLayer: " + name, {{5, 8}}, made<transformer::EncoderLayer>(config),
               [=](transformer::EncoderLayer& layer, Inputs x) { return layer(x[0], self); });
    add_module(cases, "DecoderLayer: " + name, {{5, 8}, {6, 8}}, made<transformer::DecoderLayer>(config),
               [=](transformer::DecoderLayer& layer, Inputs x) { return layer(x[0], x[1], self, cross); });
  };
  add("post-norm", Norm::post, true);
  add("pre-norm", Norm::pre, true);
  add("no norm", Norm::none, true);
  add("post-norm, no residual", Norm::post, false);
  add("pre-norm, no residual", Norm::pre, false);
}

/// `make` makes an EncoderDecoder from random numbers.
template <class Make>
void add_model(std::vector<GradientCase>& cases, const std::string& name, const Make& make,
               double distance = 0.2, const transformer::Batch& batch = small_batch()) {
  add_module(
      cases, name, {},
      [&](Random& random) { return std::make_shared<transformer::EncoderDecoder>(make(random)); },
      [batch](transformer::EncoderDecoder& model, Inputs) {
        return model.loss(batch, {.label_smoothing = 0.1});
      },
      distance);
}

/// One model for each preset, and models with the settings that no preset has.
void add_recurrent_models(std::vector<GradientCase>& cases) {
  const auto add = [&](const std::string& name, transformer::RecurrentConfig config) {
    config.d_model = 6;
    config.attention.positions = 8;
    config.attention.radius = 1;
    const transformer::EmbeddingSettings embeddings{.source_vocabulary = 7,
                                                    .target_vocabulary = 7,
                                                    .width = 6,
                                                    .shared = SharedEmbeddings::target_output};
    // With small weights all states look alike, and the gradients of the attention vanish.
    constexpr double distance = 1.5;
    add_model(
        cases, "recurrent model: " + name,
        [&](Random& random) { return make_recurrent(config, embeddings, random); }, distance);
  };
  for (const char* name : {"cho2014", "sutskever2014", "bahdanau2015", "luong2015"})
    add(name, transformer::recurrent_preset(name));

  transformer::RecurrentConfig deep = transformer::recurrent_preset("bahdanau2015");
  deep.encoder_layers = deep.decoder_layers = 2;
  deep.cell = nn::Cell::lstm;
  deep.attention.input_feeding = true;
  add("deep LSTM, context first, input feeding", deep);
  transformer::RecurrentConfig at_once = transformer::recurrent_preset("luong2015");
  at_once.attention.input_feeding = false;
  at_once.attention.window = nn::AttentionWindow::local_p;
  add("state first, local_p", at_once);
  transformer::RecurrentConfig twice = transformer::recurrent_preset("bahdanau2015");
  twice.attention.doubly_stochastic = 0.5;
  add("doubly stochastic attention", twice);
}

/// Models with convolutions over tokens, with each decoder.
void add_text_convolutional_models(std::vector<GradientCase>& cases) {
  const Config config = small_config();
  transformer::RecurrentConfig recurrent = transformer::recurrent_preset("bahdanau2015");
  recurrent.d_model = config.d_model;
  recurrent.bidirectional = false;
  for (const bool is_recurrent : {false, true})
    add_model(cases, std::string("text_convolutional: with a ") + (is_recurrent ? "GRU" : "Transformer"),
              [&](Random& random) {
                const transformer::Embeddings made =
                    transformer::make_embeddings({.source_vocabulary = 7,
                                                  .target_vocabulary = 7,
                                                  .width = config.d_model,
                                                  .shared = SharedEmbeddings::all},
                                                 random);
                auto encoder = std::make_unique<transformer::TextConvolutionalEncoder>(
                    transformer::TextConvolutionalEncoder::Settings{
                        .layers = 2, .window = 3, .embedding_dropout = 0.1, .dropout = 0.1},
                    made.source, random);
                std::unique_ptr<transformer::Decoder> decoder;
                if (is_recurrent)
                  decoder = std::make_unique<transformer::RecurrentDecoder>(
                      recurrent, made.target, config.d_model, std::vector<Index>{}, random);
                else
                  decoder = std::make_unique<transformer::TransformerDecoder>(config, made.target, random);
                return transformer::EncoderDecoder(std::move(encoder), std::move(decoder), made.generator);
              });
}

/// Three images of different sizes, with the targets of the other batch.
transformer::Batch image_batch() {
  Random random = random_of("images");
  transformer::Batch batch = small_batch();
  batch.source = {};
  for (const auto& [height, width] : {Plane{4, 6}, Plane{2, 2}, Plane{6, 4}}) {
    transformer::Image image{.height = height, .width = width};
    for (Index i = 0; i < 3 * height * width; ++i)
      image.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
    std::vector<std::int32_t> source = as_source(image);
    source.push_back(2);
    batch.source.append(source);
  }
  return batch;
}

/// Models that read images, with each encoder and each decoder.
void add_image_models(std::vector<GradientCase>& cases) {
  using transformer::EncoderDecoder;
  Config config = small_config();
  config.norm = Norm::pre;
  transformer::RecurrentConfig recurrent = transformer::recurrent_preset("xu2015");
  recurrent.d_model = config.d_model;
  recurrent.attention.doubly_stochastic = 0.5;
  const transformer::ConvolutionalEncoder::Settings convolutions{
      .image = {.channels = {3, 4}, .strides = {2, 1}}, .width = config.d_model, .dropout = 0.1};
  const auto embeddings = [&](Random& random) {
    return transformer::make_embeddings({.source_vocabulary = 0,
                                         .target_vocabulary = 7,
                                         .width = config.d_model,
                                         .shared = SharedEmbeddings::none},
                                        random);
  };
  constexpr double distance = 0.3;
  add_model(
      cases, "image model: patches and Transformer",
      [&](Random& random) {
        const transformer::Embeddings made = embeddings(random);
        return EncoderDecoder(std::make_unique<transformer::PatchEncoder>(config, 2, random),
                              std::make_unique<transformer::TransformerDecoder>(config, made.target, random),
                              made.generator);
      },
      distance, image_batch());
  add_model(
      cases, "image model: convolutional, LSTM, doubly stochastic attention",
      [&](Random& random) {
        const transformer::Embeddings made = embeddings(random);
        return EncoderDecoder(std::make_unique<transformer::ConvolutionalEncoder>(convolutions, random),
                              std::make_unique<transformer::RecurrentDecoder>(
                                  recurrent, made.target, config.d_model, std::vector<Index>{}, random),
                              made.generator);
      },
      distance, image_batch());
}

}  // namespace

std::vector<GradientCase> model_cases() {
  Config shared = small_config();
  shared.shared_embeddings = SharedEmbeddings::all;
  Config pre_norm = small_config();
  pre_norm.norm = Norm::pre;
  pre_norm.shared_embeddings = SharedEmbeddings::target_output;
  const auto positioned = [](nn::PositionKind kind, transformer::PositionSides sides) {
    Config config = small_config();
    config.positions = {.kind = kind, .radius = 2};
    config.position_sides = sides;
    return config;
  };
  using transformer::PositionSides;
  Config variant = positioned(nn::PositionKind::alibi, PositionSides::both);
  variant.multi_head = {.scaled = false, .normaliser = Normaliser::sigmoid, .shared_key_value = true};
  Config marian = shared;  // the form of Marian's models
  marian.activation = nn::Activation::silu;
  marian.positions.layout = nn::SinusoidLayout::halves;
  marian.generator_bias = true;
  std::vector<GradientCase> cases;
  add_layers(cases);
  for (const auto& [name, config] :
       {std::pair{"post-norm", small_config()},
        {"post-norm, shared embeddings", shared},
        {"pre-norm, final norm", pre_norm},
        {"relative positions", positioned(nn::PositionKind::relative, PositionSides::both)},
        {"rotary positions", positioned(nn::PositionKind::rotary, PositionSides::decoder)},
        {"ALiBi", positioned(nn::PositionKind::alibi, PositionSides::encoder)},
        {"sigmoid, shared keys and values", variant},
        {"as Marian", marian}})
    add_model(cases, std::string("Transformer: ") + name, [config = config](Random& random) {
      transformer::EncoderDecoder model = make_transformer(config, random);
      if (config.generator_bias) model.generator.bias.data()[0] = transformer::never_predicted;
      return model;
    });
  add_recurrent_models(cases);
  add_text_convolutional_models(cases);
  add_image_models(cases);
  return cases;
}

}  // namespace regard::gradcheck_table
