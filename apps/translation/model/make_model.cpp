#include "apps/translation/model/make_model.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "autograd/machine/error.h"
#include "transformer/captions/convolutional_encoder.h"
#include "transformer/captions/patch_encoder.h"
#include "transformer/convolution/text_encoder.h"
#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/recurrent/recurrent_encoder.h"
#include "transformer/self_attention/transformer.h"

namespace regard::translation {

namespace {

std::unique_ptr<transformer::Encoder> make_encoder(const ModelSettings& model, const nn::Embedding& embedding,
                                                   Random& random) {
  switch (model.encoder) {
    case EncoderKind::transformer:
      return std::make_unique<transformer::TransformerEncoder>(model.config, embedding, random);
    case EncoderKind::recurrent:
      return std::make_unique<transformer::RecurrentEncoder>(recurrent_config(model), embedding, random);
    case EncoderKind::text_convolutional:
      return std::make_unique<transformer::TextConvolutionalEncoder>(
          transformer::TextConvolutionalEncoder::Settings{
              .layers = model.config.encoder_layers,
              .window = model.text_window,
              .positions = model.config.positions_of(transformer::PositionSides::encoder),
              .embedding_dropout = model.config.dropout.embedding,
              .dropout = model.config.dropout.sublayer},
          embedding, random);
    case EncoderKind::convolutional:
      return std::make_unique<transformer::ConvolutionalEncoder>(
          transformer::ConvolutionalEncoder::Settings{.image = model.image,
                                                      .width = model.config.d_model,
                                                      .dropout = model.config.dropout.embedding,
                                                      .base = model.config.positions.base},
          random);
    case EncoderKind::patches:
      return std::make_unique<transformer::PatchEncoder>(model.config, model.image.patch_size, random);
  }
  fail("make_model: there is no encoder of kind {}", static_cast<int>(model.encoder));
}

std::unique_ptr<transformer::Decoder> make_decoder(const ModelSettings& model, const nn::Embedding& embedding,
                                                   const transformer::Encoder& encoder, Random& random) {
  switch (model.decoder) {
    case DecoderKind::transformer:
      return std::make_unique<transformer::TransformerDecoder>(model.config, embedding, random);
    case DecoderKind::recurrent:
      return std::make_unique<transformer::RecurrentDecoder>(recurrent_config(model), embedding,
                                                             encoder.width(), encoder.state_widths(), random);
  }
  fail("make_model: there is no decoder of kind {}", static_cast<int>(model.decoder));
}

}  // namespace

MakeModel maker_of(const ModelSettings& settings, const MakeModel& own, const std::string& place) {
  if (settings.own.empty()) return make_model;
  if (!own)
    fail(
        "{}: the model is \"{}\" (model.own), which this program cannot make; give the same command to the "
        "program that can (apps/examples/README.md says how to write one)",
        place, settings.own);
  return own;
}

transformer::EncoderDecoder make_model(const Settings& settings, const Vocabularies& vocabularies,
                                       Random random) {
  check(settings.model);
  transformer::Config config = settings.model.config;
  config.source_vocabulary = settings.model.reads_images() ? 0 : vocabularies.source.size();
  config.target_vocabulary = vocabularies.target.size();
  const transformer::Embeddings embeddings = make_embeddings(config.embeddings(), random);
  if (settings.model.first_predicted > 0)
    std::fill_n(embeddings.generator.bias.data(), settings.model.first_predicted,
                transformer::never_predicted);
  auto encoder = make_encoder(settings.model, embeddings.source, random);
  auto decoder = make_decoder(settings.model, embeddings.target, *encoder, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}  // namespace regard::translation
