#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "apps/translation/files/choices.h"
#include "apps/translation/files/json.h"
#include "apps/translation/settings/settings.h"

namespace regard::translation {

/// The values of decoding.length_penalty; regard explore lists them, too.
inline const Choices<transformer::LengthPenalty> length_penalties{
    {"wu", transformer::LengthPenalty::wu}, {"power", transformer::LengthPenalty::power}};

/// Values of settings by their place, such as "training.steps". Each is a value that its setting may have.
using Values = std::map<std::string, Json, std::less<>>;

/// Returns the values that a configuration gives. One number for a section counts for all its settings.
/// Throws Error that contains `name` and the place for an unknown key, a wrong type, a value out of range, or
/// a newer format.
Values values_of(const Json& configuration, const std::string& name);

/// Returns the values of all settings.
Values values_of(const Settings& settings);

/// Replaces one value, or the values of a section that one number can replace. The text is JSON if it can be
/// read as JSON, otherwise it is a string. Throws Error that contains `name` for a wrong place or value.
void set_value(Values& values, const std::string& place, const std::string& text, const std::string& name);

/// The same for an override from the command line: "training.steps=2000".
void apply_override(Values& values, const std::string& assignment);

/// The name of an override from the command line in messages.
std::string override_name(const std::string& assignment);

/// Returns settings with these values. A missing one keeps its default; in `model`, the preset gives the
/// defaults.
Settings settings_with(const Values& values);

/// Reads settings from a configuration and overrides. Throws Error as values_of and apply_override do.
Settings parse_settings(const Json& configuration, const std::string& name,
                        std::span<const std::string> overrides = {});

/// Returns the settings of a training with this configuration, as load_settings (settings.h) does for a file.
/// Messages call the configuration `name`.
Settings training_settings(const Json& configuration, const std::string& name,
                           std::span<const std::string> overrides = {},
                           const std::string& resumed_directory = "");

/// Returns the settings as JSON, with "format": 1 and the exact version of the program. Left out are settings
/// of models that this model does not read (is_read) and that have the default of its preset, so that a
/// program without their room can load it, too. parse_settings reads the same settings from it; it ignores
/// the version.
Json to_json(const Settings& settings);

/// Returns the defaults as JSON. A comment above each setting describes it and its values. The text is a
/// valid configuration file; the values that come from the preset are comments too.
std::string documented_defaults();

}  // namespace regard::translation
