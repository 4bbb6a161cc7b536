#pragma once

#include "transformer/encoder_decoder.h"
#include "transformer/self_attention/config.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The Transformer (Vaswani et al. 2017, figure 1), with initial weights drawn from `random`. Throws Error
/// if a setting is out of its range (check).
EncoderDecoder make_transformer(const Config& config, Random& random);

}}}  // namespace regard::REGARD_PRECISION::transformer
