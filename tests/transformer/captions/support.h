#pragma once

// What the tests of models that read images share.

#include "tests/transformer/captions/random_image.h"
#include "tests/transformer/models.h"
#include "transformer/captions/convolutional_encoder.h"
#include "transformer/captions/patch_encoder.h"

namespace regard::tests {

inline Source pack_images(const std::vector<Image>& images) {
  Source source;
  for (const Image& image : images) source.append(enclosed({}, as_source(image), {sentence_end_id}));
  return source;
}

/// Two layers; a position of the memory has 2 x 2 pixels, and so has a patch.
inline ImageConfig small_images() {
  return {.channels = {3, 5}, .strides = {2, 1}, .window = 3, .patch_size = 2};
}

inline std::unique_ptr<ConvolutionalEncoder> small_convolutional(Index width, std::uint64_t seed) {
  Random random(seed);
  return std::make_unique<ConvolutionalEncoder>(
      ConvolutionalEncoder::Settings{.image = small_images(), .width = width}, random);
}

inline Config small_vit() {
  return {.target_vocabulary = 11,
          .d_model = 8,
          .heads = 2,
          .d_ff = 12,
          .encoder_layers = 2,
          .decoder_layers = 2,
          .norm = Norm::pre,
          .activation = nn::Activation::gelu,
          .shared_embeddings = SharedEmbeddings::none,
          .dropout = DropoutRates::all(0)};
}

inline Embeddings target_embeddings(Index vocabulary, Index width, Random& random) {
  return make_embeddings({.source_vocabulary = 0,
                          .target_vocabulary = vocabulary,
                          .width = width,
                          .shared = SharedEmbeddings::none},
                         random);
}

inline ImageConfig images_of(const Size& size) {
  return size.width == Size{}.width ? small_images() : ImageConfig{};
}

inline std::unique_ptr<Encoder> convolutions(const Size& size, const Embeddings&, Random& random) {
  return std::make_unique<ConvolutionalEncoder>(
      ConvolutionalEncoder::Settings{.image = images_of(size), .width = size.width, .dropout = size.dropout},
      random);
}

inline std::unique_ptr<Encoder> patches(const Size& size, const Embeddings&, Random& random) {
  Config config = small_vit();
  config.d_model = size.width;
  config.dropout = DropoutRates::all(size.dropout);
  return std::make_unique<PatchEncoder>(config, images_of(size).patch_size, random);
}

inline EncoderDecoder make_vit(const Config& config, Index patch_size, Index vocabulary, std::uint64_t seed) {
  Random random(seed);
  const Embeddings embeddings = target_embeddings(vocabulary, config.d_model, random);
  auto encoder = std::make_unique<PatchEncoder>(config, patch_size, random);
  auto decoder = std::make_unique<TransformerDecoder>(config, embeddings.target, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}  // namespace regard::tests
