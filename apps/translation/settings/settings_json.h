#pragma once

#include <string>

#include "apps/translation/files/json.h"
#include "apps/translation/settings/settings.h"

namespace regard::translation {

/// Settings from JSON; what is not there keeps its default (in `model`, that of the preset). Throws Error
/// naming `name` and the place for an unknown key, a wrong type, a value out of range, or a newer format.
Settings parse_settings(const Json& json, const std::string& name);

/// Every setting, under "format": 1 and the exact version of the program, which parse_settings ignores; it
/// gives the same settings back.
Json to_json(const Settings& settings);

/// Replaces one value in a configuration. The text after the = is JSON if it can be read as JSON, otherwise a
/// string. Throws Error for a setting that does not exist; the value is checked by parse_settings.
void apply_override(Json& json, const std::string& assignment);

/// The defaults as JSON with a comment above each setting that says what it does and what it may be. It is
/// itself a configuration file, in which what the preset decides is commented out.
std::string documented_defaults();

}  // namespace regard::translation
