#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"

namespace regard::exchange {

/// Values of settings that a format can express, by the place of the setting, such as "model.norm". A setting
/// that is not listed can have any value.
using Expressible = std::map<std::string, std::vector<std::string>>;

/// What a Transformer of text of every format has.
extern const Expressible of_transformers;

/// Throws Error that names the first setting whose value a format cannot express, and the values that it can.
void check_expressible(const translation::Settings& settings, const Expressible& expressible,
                       const std::string& format);

}  // namespace regard::exchange
