#pragma once

#include <string>

#include "transformer/embeddings.h"
#include "transformer/encoder_decoder.h"
#include "transformer/recurrent/config.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A recurrent encoder and a recurrent decoder, with initial weights drawn from `random`. Throws Error if the
/// settings do not go together (check).
EncoderDecoder make_recurrent(const RecurrentConfig& config, const EmbeddingSettings& embeddings,
                              Random& random);

}}}  // namespace regard::REGARD_PRECISION::transformer
