// A table of models of every kind.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/transformer/support.h"

namespace regard::tests {

struct Size {
  Index width = 8, vocabulary = 11;
  double dropout = 0;
};
/// Large enough that products, updates and everything between are cut for several threads.
inline constexpr Size large{.width = 32, .vocabulary = 40, .dropout = 0.1};

/// Makes a source that is no sentence, such as an image. The extents and the seed decide.
using RandomSource = Ids (*)(Index height, Index width, std::uint64_t seed);

struct NamedModel {
  std::string name;
  std::function<EncoderDecoder(const Size&)> make;
  RandomSource source = nullptr;  ///< null: it reads sentences
  bool everywhere = true;         ///< no attention weight is 0, but for later words
  bool sums_to_1 = true;          ///< the attention weights of a word
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
    all.push_back({name, make, nullptr, !sparse, normaliser != Normaliser::sigmoid});
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

using MakeEncoder = std::function<std::unique_ptr<Encoder>(const Size&, const Embeddings&, Random&)>;
using MakeDecoder =
    std::function<std::unique_ptr<Decoder>(const Size&, const Embeddings&, const Encoder&, Random&)>;

/// The decoder of the Transformer.
inline std::unique_ptr<Decoder> transformer_decoder(const Size& size, const Embeddings& embeddings,
                                                    const Encoder&, Random& random) {
  Config config = small_config();
  config.d_model = size.width;
  config.dropout = DropoutRates::all(size.dropout);
  return std::make_unique<TransformerDecoder>(config, embeddings.target, random);
}

/// An encoder with a decoder.
inline NamedModel combined(const std::string& name, RandomSource source, const MakeEncoder& make_encoder,
                           const MakeDecoder& make_decoder = transformer_decoder) {
  const auto make = [=](const Size& size) {
    Random random(1);
    const Embeddings embeddings =
        make_embeddings({.source_vocabulary = source ? 0 : size.vocabulary,
                         .target_vocabulary = size.vocabulary,
                         .width = size.width,
                         .shared = source ? SharedEmbeddings::none : SharedEmbeddings::all},
                        random);
    std::unique_ptr<Encoder> encoder = make_encoder(size, embeddings, random);
    std::unique_ptr<Decoder> decoder = make_decoder(size, embeddings, *encoder, random);
    return moved({std::move(encoder), std::move(decoder), embeddings.generator}, size, 0.5);
  };
  return {.name = name, .make = make, .source = source};
}

/// The models of the guests that are built. A file adds some with an AddModels.
using MakeModels = std::vector<NamedModel> (*)();
inline std::vector<MakeModels>& models_of_guests() {
  static std::vector<MakeModels> all;
  return all;
}
struct AddModels {
  explicit AddModels(MakeModels models) { models_of_guests().push_back(models); }
};

inline std::vector<NamedModel> all_models() {
  std::vector<NamedModel> all = transformers();
  for (const MakeModels make : models_of_guests())
    for (const NamedModel& model : make()) all.push_back(model);
  return all;
}

}  // namespace regard::tests
