#pragma once

#include "apps/translation/settings/settings_description.h"
#include "transformer/recurrent/recurrent_config.h"

namespace regard::translation {

/// Adds the settings of the recurrent parts to the section `model`. Width, numbers of layers and dropouts are
/// not among them: those of ModelSettings::config are (recurrent_config).
void describe_recurrent(const Section& table, transformer::RecurrentConfig& recurrent);

/// The whole shape of the recurrent parts.
transformer::RecurrentConfig recurrent_config(const ModelSettings& model);

/// The settings of a preset of transformer::recurrent_preset: encoder and decoder are recurrent.
ModelSettings recurrent_model_preset(const std::string& name);

}  // namespace regard::translation
