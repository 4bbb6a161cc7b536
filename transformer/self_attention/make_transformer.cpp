#include "transformer/self_attention/make_transformer.h"

#include "transformer/self_attention/transformer_decoder.h"
#include "transformer/self_attention/transformer_encoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

EncoderDecoder make_transformer(const Config& config, Random& random) {
  check(config);
  const Embeddings embeddings = make_embeddings({.source_vocabulary = config.source_vocabulary,
                                                 .target_vocabulary = config.target_vocabulary,
                                                 .width = config.d_model,
                                                 .shared = config.shared_embeddings},
                                                random);
  auto encoder = std::make_unique<TransformerEncoder>(config, embeddings.source, random);
  auto decoder = std::make_unique<TransformerDecoder>(config, embeddings.target, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
