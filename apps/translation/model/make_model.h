#pragma once

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// Makes the model that the settings and vocabularies describe. Its initial weights are drawn from `random`.
/// Settings become a model only here: add the entry of a new kind of encoder or decoder here.
transformer::EncoderDecoder make_model(const Settings& settings, const Vocabularies& vocabularies,
                                       Random random);

}  // namespace regard::translation
