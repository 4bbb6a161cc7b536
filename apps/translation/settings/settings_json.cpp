#include "apps/translation/settings/settings_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/translation/files/utf8.h"
#include "apps/translation/files/version.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

constexpr Index newest_format = 1;

/// Settings of earlier versions, or of a room that may not be built, with the value that regard has now in
/// their place. A configuration may still give this value.
const std::map<std::string, Json> retired{{"training.batch_order", "bucketed"},
                                          {"validation.bleu_lowercase", false},
                                          {"data.cache", ""},
                                          {"data.subwords", {{"model", ""}}},
                                          {"model.attention.hard.baseline_decay", 0.9}};

/// Adds the value of a setting, which a message calls `place`, after a check.
void add_value(Values& values, const KnownSetting& setting, const Json& value, const std::string& place,
               const std::string& name) {
  check_value(setting, value, place, name);
  values.insert_or_assign(setting.place, value);
}

void add_values(Values& values, const Json& json, const std::string& section, const std::string& name);

/// Adds the value of a setting or the values of a section.
void add_known(Values& values, const KnownSetting& known, const Json& json, const std::string& name) {
  if (!known.section) return add_value(values, known, json, known.place, name);
  if (known.takes_number && json.is_number()) {
    for (const KnownSetting& setting : known_settings())
      if (!setting.section && is_in(setting.place, known.place))
        add_value(values, setting, json, known.place, name);
    return;
  }
  if (!json.is_object())
    fail("{}: {} must be an object with settings{}, got {}", name, known.place,
         known.takes_number ? ", or one number" : "", printable_value(json));
  add_values(values, json, known.place + ".", name);
}

/// False, an empty list, "" and "none" switch something off.
bool is_off(const Json& value) {
  return value == false || value == Json::array() || value == "" || value == "none";
}

void add_values(Values& values, const Json& json, const std::string& section, const std::string& name) {
  for (const auto& [key, value] : json.items()) {
    const std::string place = section + key;
    if (place == "format" || place == "version") continue;
    if (const auto old = retired.find(place); old != retired.end() && old->second == value) continue;
    const KnownSetting* known = key.find('.') == std::string::npos ? find_setting(place) : nullptr;
    // A setting that a room adds, and that is off, means nothing where the room was not built.
    if (!known && !doors().complete && is_off(value)) continue;
    if (!known) fail_unknown_setting(name, place);
    add_known(values, *known, value, name);
  }
}

}  // namespace

void check_value(const KnownSetting& setting, const Json& value, const std::string& place,
                 const std::string& name) {
  if (setting.kind.holds(value)) return;
  const double number = value.is_number_float() ? value.get<double>() : 0;
  const auto rounded = static_cast<float>(number);
  std::string help;
  if (rounded != number && rounded == std::round(rounded))
    help = fmt::format(", which is {} in single precision", rounded);
  else if (setting.place == "decoding.length_penalty" && value.is_number())
    help = fmt::format(
        "; a number is its exponent: set decoding.length_penalty to \"power\" and decoding.alpha to {}",
        value.dump());
  else if (setting.place == "model.encoder" || setting.place == "model.decoder" ||
           setting.place == "model.preset" || setting.place == "data.tokeniser")
    help = about_not_built();
  fail("{}: {} must be {}, got {}{}", name, place, setting.kind.allowed, printable_value(value), help);
}

Kind files() {
  const Kind path = text("a path");
  return {"a path, a list of paths, or \"\" for none", [path](const Json& json) {
            const auto is_file = [&](const Json& entry) { return path.holds(entry) && entry != ""; };
            return path.holds(json) || (json.is_array() && std::ranges::all_of(json, is_file));
          }};
}

void read_value(const Json& json, Paths& value) {
  if (json.is_array())
    value = json.get<std::vector<std::string>>();
  else
    value = json.get<std::string>();
}

Json write_value(const Paths& value) {
  if (value.files.size() > 1) return value.files;
  return value.empty() ? std::string() : value.files.front();
}

Values values_of(const Json& configuration, const std::string& name) {
  if (!configuration.is_object())
    fail("{}: a configuration is a JSON object {{...}}, got {}", name, printable_value(configuration));
  if (configuration.contains("format")) check_format(configuration, newest_format, name);
  Values values;
  add_values(values, configuration, "", name);
  return values;
}

Values values_of(const Settings& settings) {
  Settings copy = settings;  // the description also reads, so it needs settings that can be changed
  Values values;
  for (const KnownSetting& setting : describe(copy))
    if (!setting.section) values.emplace(setting.place, setting.write());
  return values;
}

void set_value(Values& values, const std::string& place, const std::string& text, const std::string& name) {
  if (find_invalid_utf8(text)) fail("{} is not UTF-8", name);
  const KnownSetting* known = find_setting(place);
  if (!known) fail_unknown_setting(name, place);
  if (known->section && !known->takes_number)
    fail("{}: {} is a section; set one of its settings, such as {}", name, place, (known + 1)->place);
  add_known(values, *known, Json::accept(text) ? parse_json(text, name) : Json(text), name);
}

void apply_override(Values& values, const std::string& assignment) {
  const std::string name = override_name(assignment);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail("{}: expected SETTING=VALUE, such as training.steps=2000", name);
  set_value(values, assignment.substr(0, equals), assignment.substr(equals + 1), name);
}

std::string override_name(const std::string& assignment) {
  constexpr int longest = 1000;
  return "--set " + printable(assignment, longest);
}

Settings settings_with(const Values& values) {
  Settings settings;
  if (const auto preset = values.find("model.preset"); preset != values.end())
    settings.model = model_preset(preset->second.get<std::string>());
  for (const KnownSetting& setting : describe(settings))
    if (const auto value = values.find(setting.place); value != values.end()) setting.read(value->second);
  return settings;
}

Settings parse_settings(const Json& configuration, const std::string& name,
                        std::span<const std::string> overrides) {
  Values values = values_of(configuration, name);
  for (const std::string& assignment : overrides) apply_override(values, assignment);
  return settings_with(values);
}

Json to_json(const Settings& settings) {
  Settings defaults;
  defaults.model = model_preset(settings.model.preset);
  const Values values = values_of(settings), unchanged = values_of(defaults);
  Json json{{"format", newest_format}, {"version", exact_version()}};
  for (const KnownSetting& setting : known_settings()) {
    if (setting.section) continue;
    if (!is_read(setting, values) && values.at(setting.place) == unchanged.at(setting.place)) continue;
    std::string pointer = "/" + setting.place;
    std::ranges::replace(pointer, '.', '/');
    json[Json::json_pointer(pointer)] = values.at(setting.place);
  }
  return json;
}

std::string documented_defaults() {
  std::string text = fmt::format("{{\n  \"format\": {}", newest_format);
  std::vector<std::string> open;  // sections
  // The preset's values are comments. As settings they would override every other preset.
  const auto comment = [](const std::string& place) {
    return place.starts_with("model.") && place != "model.preset" ? "// " : "";
  };
  const auto close_until = [&](std::string_view place) {
    for (; !open.empty() && !is_in(place, open.back()); open.pop_back())
      text += fmt::format("\n{}{}}}", std::string(2 * open.size(), ' '), comment(open.back()));
  };
  for (const KnownSetting& setting : known_settings()) {
    close_until(setting.place);
    const std::string indentation(2 * open.size() + 2, ' ');
    text += text.ends_with('{') ? "\n" : ",\n";
    text +=
        fmt::format("{}{}// {}\n{}{}\"{}\": {}", setting.section ? "\n" : "", indentation,
                    setting.documentation, indentation, comment(setting.place),
                    section_and_key(setting.place).second, setting.section ? "{" : setting.write().dump());
    if (setting.section) open.push_back(setting.place);
  }
  close_until("");
  return text + "\n}\n";
}

}  // namespace regard::translation
