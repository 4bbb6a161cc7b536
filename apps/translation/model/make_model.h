#pragma once

#include <functional>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/encoder_decoder.h"

// Models from settings: those of regard, and those of a program of your own.

namespace regard::translation {

/// A function that makes a model. Hand one to Training and to Translator::load to train and to use a model of
/// your own. Its settings have its name as model.own, so that other programs refuse the model.
using MakeModel = std::function<transformer::EncoderDecoder(const Settings& settings,
                                                            const Vocabularies& vocabularies, Random random)>;

/// Returns `own` if the settings name a model of one's own, otherwise make_model. Throws Error that names the
/// place of the settings if they name such a model and `own` is empty.
MakeModel maker_of(const ModelSettings& settings, const MakeModel& own, const std::string& place);

/// Makes the model that the settings and vocabularies describe. Its initial weights are drawn from `random`.
/// Settings become a model only here. Throws Error if the settings contradict each other.
transformer::EncoderDecoder make_model(const Settings& settings, const Vocabularies& vocabularies,
                                       Random random);

}  // namespace regard::translation
