#include "transformer/recurrent/make_recurrent.h"

#include "transformer/recurrent/recurrent_decoder.h"
#include "transformer/recurrent/recurrent_encoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

EncoderDecoder make_recurrent(const RecurrentConfig& config, const EmbeddingSettings& settings,
                              Random& random) {
  check(config);
  const Embeddings embeddings = make_embeddings(settings, random);
  auto encoder = std::make_unique<RecurrentEncoder>(config, embeddings.source, random);
  auto decoder = std::make_unique<RecurrentDecoder>(config, embeddings.target, encoder->width(),
                                                    encoder->state_widths(), random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
