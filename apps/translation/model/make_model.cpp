#include "apps/translation/model/make_model.h"

#include <memory>
#include <utility>

#include "autograd/error.h"
#include "transformer/self_attention/transformer_decoder.h"
#include "transformer/self_attention/transformer_encoder.h"

namespace regard::translation {

namespace {

using transformer::Config;

std::unique_ptr<transformer::Encoder> make_encoder(EncoderKind kind, const Config& config,
                                                   const nn::Embedding& embedding, Random& random) {
  switch (kind) {
    case EncoderKind::transformer:
      return std::make_unique<transformer::TransformerEncoder>(config, embedding, random);
  }
  fail("make_model: there is no encoder of kind {}", static_cast<int>(kind));
}

std::unique_ptr<transformer::Decoder> make_decoder(DecoderKind kind, const Config& config,
                                                   const nn::Embedding& embedding, Random& random) {
  switch (kind) {
    case DecoderKind::transformer:
      return std::make_unique<transformer::TransformerDecoder>(config, embedding, random);
  }
  fail("make_model: there is no decoder of kind {}", static_cast<int>(kind));
}

}  // namespace

transformer::EncoderDecoder make_model(const Settings& settings, const Vocabularies& vocabularies,
                                       Random random) {
  const Config& config = settings.model.config;
  const transformer::Embeddings embeddings =
      transformer::make_embeddings({.source_vocabulary = vocabularies.source.size(),
                                    .target_vocabulary = vocabularies.target.size(),
                                    .width = config.d_model,
                                    .shared = config.shared_embeddings},
                                   random);
  auto encoder = make_encoder(settings.model.encoder, config, embeddings.source, random);
  auto decoder = make_decoder(settings.model.decoder, config, embeddings.target, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}  // namespace regard::translation
