#pragma once

// What the tests of models that read images share.

#include "tests/transformer/recurrent/support.h"
#include "transformer/images/image.h"

namespace regard::tests {

/// Any bytes; they depend on the seed alone.
inline Image random_image(Index height, Index width, std::uint64_t seed) {
  Random random(seed);
  Image image{.height = height, .width = width};
  for (Index i = 0; i < 3 * height * width; ++i)
    image.pixels.push_back(static_cast<std::uint8_t>(random.below(256)));
  return image;
}

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

/// A decoder for an encoder of images, and the model of both.
inline EncoderDecoder with_recurrent_decoder(std::unique_ptr<Encoder> encoder, RecurrentConfig config,
                                             Index vocabulary, std::uint64_t seed) {
  Random random(seed);
  config.bidirectional = false;
  config.embedding_dropout = config.dropout = 0;
  const Embeddings embeddings = target_embeddings(vocabulary, config.d_model, random);
  auto decoder = std::make_unique<RecurrentDecoder>(config, embeddings.target, encoder->width(),
                                                    encoder->state_widths(), random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

inline EncoderDecoder make_vit(const Config& config, Index patch_size, Index vocabulary, std::uint64_t seed) {
  Random random(seed);
  const Embeddings embeddings = target_embeddings(vocabulary, config.d_model, random);
  auto encoder = std::make_unique<PatchEncoder>(config, patch_size, random);
  auto decoder = std::make_unique<TransformerDecoder>(config, embeddings.target, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}  // namespace regard::tests
