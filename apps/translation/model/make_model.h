#pragma once

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabularies.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// The model that the settings and vocabularies describe, with initial weights drawn from `random`. The one
/// place where settings become a model: a new kind of encoder or decoder has its entry here.
transformer::EncoderDecoder make_model(const Settings& settings, const Vocabularies& vocabularies,
                                       Random random);

}  // namespace regard::translation
