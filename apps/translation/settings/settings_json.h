#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apps/translation/files/json.h"
#include "apps/translation/settings/settings.h"

namespace regard::translation {

/// Reads settings from JSON. A missing setting keeps its default; in `model`, the preset gives the defaults.
/// Throws Error that contains `name` and the place for an unknown key, a wrong type, a value out of range, or
/// a newer format.
Settings parse_settings(const Json& json, const std::string& name);

/// The same after some overrides ("training.steps=2000"), which change `json`. An error in an override names
/// the override.
Settings parse_settings(Json& json, const std::string& name, std::span<const std::string> overrides);

/// Returns all settings as JSON, with "format": 1 and the exact version of the program. parse_settings reads
/// the same settings from it; it ignores the version.
Json to_json(const Settings& settings);

/// Returns the value that a configuration gives for a setting, itself or by one number for the whole section.
/// Returns null if it gives none.
const Json* find_value(const Json& configuration, std::string_view place);

/// The same for a configuration that gives it.
inline const Json& value_at(const Json& configuration, std::string_view place) {
  return *find_value(configuration, place);
}

/// Sets one value in a configuration. The configuration must be an object, and its sections too.
void set_value(Json& configuration, const std::string& place, const Json& value);

/// Replaces one value in a configuration. The text after the = is JSON if it can be read as JSON, otherwise
/// it is a string. Throws Error for a setting that does not exist. parse_settings checks the value later.
void apply_override(Json& json, const std::string& assignment);

/// The name of an override from the command line in messages.
std::string override_name(const std::string& assignment);

/// Returns the defaults as JSON. A comment above each setting describes it and its values. The text is a
/// valid configuration file; the values that come from the preset are comments too.
std::string documented_defaults();

}  // namespace regard::translation
