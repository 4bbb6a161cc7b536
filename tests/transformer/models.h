// A table of models of every kind.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/transformer/images/support.h"

namespace regard::tests {

struct Size {
  Index width = 8, vocabulary = 11;
  double dropout = 0;
};
/// Large enough that products, updates and everything between are cut for several threads.
inline constexpr Size large{.width = 32, .vocabulary = 40, .dropout = 0.1};

struct NamedModel {
  std::string name;
  std::function<EncoderDecoder(const Size&)> make;
  bool images = false;
  bool everywhere = true;  ///< no attention weight is 0, but for later words
  bool sums_to_1 = true;   ///< the attention weights of a word
};

/// The model with its parameters away from where they start.
inline EncoderDecoder moved(EncoderDecoder model, const Size& size, double amount) {
  randomise(model, 2, size.width == Size{}.width ? amount : 0.1);
  return model;
}

inline std::vector<NamedModel> transformers() {
  using nn::PositionKind;
  std::vector<NamedModel> all;
  const auto add = [&](const std::string& name, const auto& change) {
    Config config = small_config();
    change(config);
    const auto make = [config](const Size& size) mutable {
      config.source_vocabulary = config.target_vocabulary = size.vocabulary;
      config.d_model = size.width;
      config.dropout = DropoutRates::all(size.dropout);
      Random random(1);
      return moved(make_transformer(config, random), size, 0.3);
    };
    const Normaliser normaliser = config.multi_head.normaliser;
    const bool sparse = normaliser == Normaliser::sparsemax || normaliser == Normaliser::relu;
    all.push_back({name, make, false, !sparse, normaliser != Normaliser::sigmoid});
  };
  add("norms after the layers, more heads and layers", [](Config& c) {
    c.heads = 4;
    c.encoder_layers = 3;
  });
  add("norms before the layers", [](Config& c) { c.norm = Norm::pre; });
  add("no norms, two vocabularies", [](Config& c) {
    c.norm = Norm::none;
    c.shared_embeddings = SharedEmbeddings::none;
  });
  for (const PositionKind kind : {PositionKind::learned, PositionKind::none, PositionKind::relative,
                                  PositionKind::rotary, PositionKind::alibi})
    add("positions " + std::to_string(static_cast<int>(kind)),
        [&](Config& c) { c.positions = {.kind = kind, .radius = 2}; });
  for (const Normaliser normaliser :
       {Normaliser::softmax, Normaliser::sparsemax, Normaliser::relu, Normaliser::sigmoid})
    for (const PositionKind kind :
         {PositionKind::sinusoidal, PositionKind::relative, PositionKind::rotary, PositionKind::alibi})
      add("shared keys and values, normaliser " + std::to_string(static_cast<int>(normaliser)) +
              ", positions " + std::to_string(static_cast<int>(kind)),
          [&](Config& c) {
            c.positions.kind = kind;
            c.multi_head = {.scaled = false, .normaliser = normaliser, .shared_key_value = true};
          });
  return all;
}

/// Every way in which a recurrent decoder runs: with and without attention, both orders, windows, several
/// layers.
inline std::vector<NamedModel> recurrent_models() {
  std::vector<NamedModel> all;
  const auto add = [&](const std::string& name, const std::string& preset, const auto& change) {
    RecurrentConfig config = small_recurrent(preset);
    change(config);
    const auto make = [config](const Size& size) mutable {
      config.d_model = size.width;
      config.embedding_dropout = config.dropout = size.dropout;
      const EmbeddingSettings vocabularies{
          .source_vocabulary = size.vocabulary, .target_vocabulary = size.vocabulary, .width = size.width};
      Random random(1);
      return moved(make_recurrent(config, vocabularies, random), size, 0.8);
    };
    const nn::AttentionWindow window = config.attention.window;
    all.push_back(
        {name, make, false, window == nn::AttentionWindow::global, window != nn::AttentionWindow::local_p});
  };
  for (const char* preset : {"cho2014", "sutskever2014", "bahdanau2015", "luong2015"})
    add(preset, preset, [](RecurrentConfig&) {});
  add("context first with input feeding", "bahdanau2015",
      [](RecurrentConfig& c) { c.attention.input_feeding = true; });
  add("state first without input feeding, local_m", "luong2015", [](RecurrentConfig& c) {
    c.attention.input_feeding = false;
    c.attention.window = nn::AttentionWindow::local_m;
    c.attention.radius = 2;
  });
  add("two layers, context first with input feeding, local_p", "bahdanau2015", [](RecurrentConfig& c) {
    c.encoder_layers = c.decoder_layers = 2;
    c.cell = nn::Cell::lstm;
    c.attention.input_feeding = true;
    c.attention.window = nn::AttentionWindow::local_p;
  });
  return all;
}

using MakeEncoder = std::function<std::unique_ptr<Encoder>(const Size&, const Embeddings&, Random&)>;

/// An encoder with one of the decoders; of the Transformer if there is no attention of a recurrent one.
inline NamedModel combined(const std::string& name, bool images, const MakeEncoder& make_encoder,
                           const std::optional<RecurrentAttention>& attention) {
  const auto make = [=](const Size& size) {
    Random random(1);
    const Embeddings embeddings =
        make_embeddings({.source_vocabulary = images ? 0 : size.vocabulary,
                         .target_vocabulary = size.vocabulary,
                         .width = size.width,
                         .shared = images ? SharedEmbeddings::none : SharedEmbeddings::all},
                        random);
    std::unique_ptr<Encoder> encoder = make_encoder(size, embeddings, random);
    std::unique_ptr<Decoder> decoder;
    if (attention) {
      const RecurrentConfig config{.d_model = size.width,
                                   .bidirectional = false,
                                   .attention = *attention,
                                   .embedding_dropout = size.dropout,
                                   .dropout = size.dropout};
      decoder = std::make_unique<RecurrentDecoder>(config, embeddings.target, encoder->width(),
                                                   encoder->state_widths(), random);
    } else {
      Config config = small_config();
      config.d_model = size.width;
      config.dropout = DropoutRates::all(size.dropout);
      decoder = std::make_unique<TransformerDecoder>(config, embeddings.target, random);
    }
    return moved({std::move(encoder), std::move(decoder), embeddings.generator}, size, 0.5);
  };
  return {.name = name, .make = make, .images = images};
}

inline std::vector<NamedModel> combinations() {
  const auto of_text = [](const Size& size, const Embeddings& embeddings,
                          Random& random) -> std::unique_ptr<Encoder> {
    return std::make_unique<TextConvolutionalEncoder>(
        TextConvolutionalEncoder::Settings{.layers = 2, .window = 3, .dropout = size.dropout},
        embeddings.source, random);
  };
  const auto image_config = [](const Size& size) {
    return size.width == Size{}.width ? small_images() : ImageConfig{};
  };
  const auto convolutions = [=](const Size& size, const Embeddings&,
                                Random& random) -> std::unique_ptr<Encoder> {
    return std::make_unique<ConvolutionalEncoder>(
        ConvolutionalEncoder::Settings{
            .image = image_config(size), .width = size.width, .dropout = size.dropout},
        random);
  };
  const auto patches = [=](const Size& size, const Embeddings&, Random& random) -> std::unique_ptr<Encoder> {
    Config config = small_vit();
    config.d_model = size.width;
    config.dropout = DropoutRates::all(size.dropout);
    return std::make_unique<PatchEncoder>(config, image_config(size).patch_size, random);
  };
  const RecurrentAttention soft{}, none{.kind = RecurrentAttentionKind::none};
  return {combined("convolutions of text", false, of_text, {}),
          combined("convolutions of text, recurrent", false, of_text, soft),
          combined("convolutions, doubly stochastic attention", true, convolutions,
                   RecurrentAttention{.doubly_stochastic = 0.5}),
          combined("convolutions, no attention", true, convolutions, none),
          combined("convolutions, Transformer", true, convolutions, {}),
          combined("patches, soft attention", true, patches, soft),
          combined("patches, no attention", true, patches, none),
          combined("patches, Transformer", true, patches, {})};
}

inline std::vector<NamedModel> all_models() {
  std::vector<NamedModel> all = transformers();
  for (const auto& more : {recurrent_models(), combinations()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace regard::tests
