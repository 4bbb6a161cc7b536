#include <array>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "apps/gradcheck/cases.h"
#include "transformer/images/convolutional_encoder.h"
#include "transformer/images/image.h"
#include "transformer/images/patch_encoder.h"
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

/// Adds all parameters to the inputs. Moves them by up to `distance` away from values such as 0 or 1, which
/// would hide mistakes.
void add_parameters(GradientCase& check, nn::Module& module, Random& random, double distance = 0.2) {
  for (const nn::NamedParameter& parameter : module.parameters()) {
    for (Real& value : parameter.tensor.values())
      value += static_cast<Real>(random.uniform(-distance, distance));
    check.inputs.push_back(parameter.tensor);
    check.input_names.push_back(parameter.name);
  }
}

GradientCase encoder_layer(Norm norm, Random& random) {
  Config config = small_config();
  config.norm = norm;
  const auto layer = std::make_shared<transformer::EncoderLayer>(config, random);
  GradientCase check{norm == Norm::post ? "EncoderLayer: post-norm" : "EncoderLayer: pre-norm",
                     [layer](const std::vector<Tensor>& inputs) {
                       layer->set_random(1, 1);
                       return (*layer)(inputs[0], segments({0, 3, 5}, {0, 3, 5}));
                     },
                     {Tensor::normal({5, 8}, 0, 1, random)},
                     {"x"}};
  add_parameters(check, *layer, random);
  return check;
}

GradientCase decoder_layer(Norm norm, Random& random) {
  Config config = small_config();
  config.norm = norm;
  const auto layer = std::make_shared<transformer::DecoderLayer>(config, random);
  GradientCase check{
      norm == Norm::post ? "DecoderLayer: post-norm" : "DecoderLayer: pre-norm",
      [layer](const std::vector<Tensor>& inputs) {
        layer->set_random(1, 1);
        return (*layer)(inputs[0], inputs[1], segments({0, 3, 5}, {0, 3, 5}), segments({0, 3, 5}, {0, 2, 6}));
      },
      {Tensor::normal({5, 8}, 0, 1, random), Tensor::normal({6, 8}, 0, 1, random)},
      {"x", "memory"}};
  add_parameters(check, *layer, random);
  return check;
}

GradientCase model_case(const std::string& name, transformer::EncoderDecoder built, Random& random,
                        double distance = 0.2, const transformer::Batch& batch = small_batch()) {
  const auto model = std::make_shared<transformer::EncoderDecoder>(std::move(built));
  GradientCase check{name,
                     [model, batch](const std::vector<Tensor>&) {
                       model->set_random(1, 1);
                       return model->loss(batch, {.label_smoothing = 0.1});
                     },
                     {},
                     {}};
  add_parameters(check, *model, random, distance);
  return check;
}

/// One model for each preset, and models with the settings that no preset has.
void add_recurrent_models(std::vector<GradientCase>& cases, Random& random) {
  const auto add = [&](const std::string& name, transformer::RecurrentConfig config) {
    config.d_model = 6;
    config.attention.positions = 8;
    config.attention.radius = 1;
    // With small weights all states look alike, and the gradients of the attention vanish.
    constexpr double distance = 1.5;
    cases.push_back(model_case(name,
                               make_recurrent(config,
                                              {.source_vocabulary = 7,
                                               .target_vocabulary = 7,
                                               .width = 6,
                                               .shared = SharedEmbeddings::target_output},
                                              random),
                               random, distance));
  };
  for (const char* name : {"cho2014", "sutskever2014", "bahdanau2015", "luong2015"})
    add(fmt::format("recurrent model: {}", name), transformer::recurrent_preset(name));

  transformer::RecurrentConfig deep = transformer::recurrent_preset("bahdanau2015");
  deep.encoder_layers = deep.decoder_layers = 2;
  deep.cell = nn::Cell::lstm;
  deep.attention.input_feeding = true;
  add("recurrent model: bidirectional LSTM of two layers, context first, input feeding", deep);
  transformer::RecurrentConfig at_once = transformer::recurrent_preset("luong2015");
  at_once.attention.input_feeding = false;
  at_once.attention.window = nn::AttentionWindow::local_p;
  add("recurrent model: state first, local_p", at_once);
  transformer::RecurrentConfig twice = transformer::recurrent_preset("bahdanau2015");
  twice.attention.doubly_stochastic = 0.5;
  add("recurrent model: doubly stochastic attention", twice);
}

/// Models that read images, with each encoder and each decoder.
void add_image_models(std::vector<GradientCase>& cases, Random& random) {
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
  Config config = small_config();
  config.norm = Norm::pre;
  transformer::RecurrentConfig recurrent = transformer::recurrent_preset("xu2015");
  recurrent.d_model = config.d_model;
  recurrent.attention.doubly_stochastic = 0.5;
  for (const bool patches : {false, true}) {
    const transformer::Embeddings embeddings =
        transformer::make_embeddings({.source_vocabulary = 0,
                                      .target_vocabulary = 7,
                                      .width = config.d_model,
                                      .shared = SharedEmbeddings::none},
                                     random);
    std::unique_ptr<transformer::Encoder> encoder;
    std::unique_ptr<transformer::Decoder> decoder;
    if (patches) {
      encoder = std::make_unique<transformer::PatchEncoder>(config, 2, random);
      decoder = std::make_unique<transformer::TransformerDecoder>(config, embeddings.target, random);
    } else {
      encoder = std::make_unique<transformer::ConvolutionalEncoder>(
          transformer::ConvolutionalEncoder::Settings{
              .image = {.channels = {3, 4}, .strides = {2, 1}}, .width = config.d_model, .dropout = 0.1},
          random);
      decoder = std::make_unique<transformer::RecurrentDecoder>(recurrent, embeddings.target, config.d_model,
                                                                std::vector<Index>{}, random);
    }
    cases.push_back(model_case(patches ? "image model: patches and Transformer"
                                       : "image model: convolutional, LSTM, doubly stochastic attention",
                               {std::move(encoder), std::move(decoder), embeddings.generator}, random, 0.3,
                               batch));
  }
}

}  // namespace

std::vector<GradientCase> model_cases() {
  Random random(8);
  Config shared = small_config();
  shared.shared_embeddings = SharedEmbeddings::all;
  Config pre_norm = small_config();
  pre_norm.norm = Norm::pre;
  pre_norm.shared_embeddings = SharedEmbeddings::target_output;
  std::vector<GradientCase> cases{
      encoder_layer(Norm::post, random),
      encoder_layer(Norm::pre, random),
      decoder_layer(Norm::post, random),
      decoder_layer(Norm::pre, random),
      model_case("Transformer: post-norm", make_transformer(small_config(), random), random),
      model_case("Transformer: post-norm, shared embeddings", make_transformer(shared, random), random),
      model_case("Transformer: pre-norm, final norm", make_transformer(pre_norm, random), random)};
  add_recurrent_models(cases, random);
  add_image_models(cases, random);
  return cases;
}

}  // namespace regard::gradcheck_table
