#pragma once

#include <functional>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// A function that makes a model. Hand one to Training and to Translator::load to train and to use a model of
/// your own. Its settings have its name as model.own, so that other programs refuse the model.
using MakeModel = std::function<transformer::EncoderDecoder(const Settings& settings,
                                                            const Vocabularies& vocabularies, Random random)>;

/// Returns `own` if the settings name a model of its own, otherwise make_model. Throws Error if only one of
/// the two is given: a name or a function.
MakeModel maker_of(const ModelSettings& settings, const MakeModel& own);

/// Makes the model that the settings and vocabularies describe. Its initial weights are drawn from `random`.
/// Settings become a model only here: add the entry of a new kind of encoder or decoder here. Throws Error if
/// the settings contradict each other.
transformer::EncoderDecoder make_model(const Settings& settings, const Vocabularies& vocabularies,
                                       Random random);

}  // namespace regard::translation
