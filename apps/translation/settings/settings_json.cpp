#include "apps/translation/settings/settings_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "apps/translation/files/version.h"
#include "apps/translation/settings/settings_description.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

constexpr Index newest_format = 1;

/// Splits "training.steps" into "training" and "steps".
std::pair<std::string, std::string> section_and_key(const std::string& place) {
  const std::size_t dot = place.rfind('.');
  return {place.substr(0, dot), place.substr(dot + 1)};
}

/// Throws Error for anything but an object with settings, a key that no setting has, and a value in the place
/// of a section.
void check_keys(const Json& json, const std::string& prefix, const std::string& name) {
  if (!json.is_object())
    fail("{}: a configuration is a JSON object {{...}}, got {}", name, printable_value(json));
  for (const auto& [key, value] : json.items()) {
    const std::string place = prefix + key;
    if (place == "format" || place == "version") continue;
    const KnownSetting* known = key.find('.') == std::string::npos ? find_setting(place) : nullptr;
    if (!known) fail_unknown_setting(name, place);
    if (!known->section || (known->takes_number && value.is_number())) continue;
    if (!value.is_object())
      fail("{}: {} must be an object with settings{}, got {}", name, place,
           known->takes_number ? ", or one number" : "", printable_value(value));
    check_keys(value, place + ".", name);
  }
}

void read(Settings& settings, const Json& json, const std::string& name) {
  for (const KnownSetting& setting : describe(settings)) {
    const Json* value = setting.section ? nullptr : find_value(json, setting.place);
    if (!value) continue;
    const std::string complaint = setting.read(*value);
    const std::string section = section_and_key(setting.place).first;
    const bool for_section = find_value(json, section) == value;  // one number sets all settings of a section
    if (!complaint.empty()) fail("{}: {} {}", name, for_section ? section : setting.place, complaint);
  }
}

/// Prints JSON with comments.
class Printer {
 public:
  std::string text = fmt::format("{{\n  \"format\": {}", newest_format);

  void print(const KnownSetting& setting) {
    while (!sections_.empty() && !is_in(setting.place, sections_.back())) end_section();
    const std::string indentation(2 * sections_.size() + 2, ' ');
    text += std::exchange(first_, false) ? "\n" : ",\n";
    text += fmt::format("{}{}// {}\n", setting.section ? "\n" : "", indentation, setting.documentation);
    text += fmt::format("{}{}\"{}\": ", indentation, comment(setting.place),
                        section_and_key(setting.place).second);
    text += setting.section ? "{" : setting.write().dump();
    if (!setting.section) return;
    sections_.push_back(setting.place);
    first_ = true;
  }

  void end_section() {
    text += fmt::format("\n{}{}}}", std::string(2 * sections_.size(), ' '), comment(sections_.back()));
    sections_.pop_back();
  }

  void end() {
    while (!sections_.empty()) end_section();
    text += "\n}\n";
  }

 private:
  /// The preset's values are comments. As settings they would override every other preset.
  static const char* comment(const std::string& place) {
    return place.starts_with("model.") && place != "model.preset" ? "// " : "";
  }

  std::vector<std::string> sections_;  ///< that are open
  bool first_ = false;                 ///< the current object is still empty, so no comma is needed
};

/// A text with a NUL character is refused, because a path would end there.
bool is_text(const Json& json) {
  return json.is_string() && json.get_ref<const std::string&>().find('\0') == std::string::npos;
}

}  // namespace

/// Compares with an excluded limit in float, because weights are computed in float: a value must not round to
/// the limit.
bool Range::holds(double x) const {
  return (low_excluded ? static_cast<float>(x) > static_cast<float>(low) : x >= low) &&
         (high_excluded ? static_cast<float>(x) < static_cast<float>(high) : x <= high);
}

std::string Range::text() const {
  if (std::isinf(high)) return fmt::format("{} {}", low_excluded ? "above" : "of at least", low);
  return fmt::format("from {} to {}{}", low, high_excluded ? "below " : "", high);
}

Range Range::whole() const {
  Range range = *this;
  if (std::isinf(high)) range.high = 1e9;
  return range;
}

bool read(const Json& json, bool& value, const Flag&) {
  if (!json.is_boolean()) return false;
  value = json.get<bool>();
  return true;
}

bool read(const Json& json, std::string& value, const Text&) {
  if (!is_text(json)) return false;
  value = json.get<std::string>();
  return true;
}

bool read(const Json& json, std::vector<std::string>& value, const Text&) {
  if (!json.is_array() || !std::ranges::all_of(json, is_text)) return false;
  value = json.get<std::vector<std::string>>();
  return true;
}

bool read(const Json& json, Paths& value, const Text& text) {
  std::vector<std::string> files(1);
  if (!read(json, files.front(), text) && (!read(json, files, text) || std::ranges::count(files, "") > 0))
    return false;
  value = files == std::vector<std::string>{""} ? Paths() : Paths(files);
  return true;
}

bool read(const Json& json, double& value, const Range& range) {
  if (!json.is_number() || !range.holds(json.get<double>())) return false;
  value = json.get<double>();
  return true;
}

/// Whole numbers can be written as 4096 or as 4e3.
bool read(const Json& json, Index& value, const Range& range) {
  double number = 0;  // no limit is above 2^53, so it is exact
  if (!read(json, number, range.whole()) || number != std::floor(number)) return false;
  value = static_cast<Index>(number);
  return true;
}

bool read(const Json& json, std::vector<Index>& value, const WholeNumbers& numbers) {
  if (!json.is_array() || to_index(json.size()) > numbers.most) return false;
  value.clear();
  return std::ranges::all_of(
      json, [&](const Json& entry) { return read(entry, value.emplace_back(), numbers.each); });
}

Json write(const Paths& value, const Text&) {
  if (value.files.size() > 1) return value.files;
  return value.empty() ? std::string() : value.files.front();
}

std::string rounding_of(const Json& json, const Range& range) {
  if (!json.is_number()) return "";
  const auto number = json.get<double>();
  const auto rounded = static_cast<float>(number);
  const bool at_limit =
      (range.low_excluded && rounded == static_cast<float>(range.low) && number > range.low) ||
      (range.high_excluded && rounded == static_cast<float>(range.high) && number < range.high);
  return at_limit ? fmt::format(", which is {} in single precision", rounded) : "";
}

Settings parse_settings(const Json& json, const std::string& name) {
  if (json.contains("format")) check_format(json, newest_format, name);
  check_keys(json, "", name);
  Settings named;
  read(named, json, name);
  // Read again, now that the preset is known. The settings of the model replace its values.
  Settings settings;
  settings.model = model_preset(named.model.preset);
  read(settings, json, name);
  return settings;
}

Settings parse_settings(Json& json, const std::string& name, std::span<const std::string> overrides) {
  Settings settings = parse_settings(json, name);
  for (const std::string& assignment : overrides) {
    apply_override(json, assignment);
    settings = parse_settings(json, override_name(assignment));  // after each, so that an error names it
  }
  return settings;
}

Json to_json(const Settings& settings) {
  Settings copy = settings;  // the description also reads, so it needs settings that can be changed
  Json json{{"format", newest_format}, {"version", exact_version()}};
  for (const KnownSetting& setting : describe(copy))
    if (!setting.section) set_value(json, setting.place, setting.write());
  return json;
}

const Json* find_value(const Json& configuration, std::string_view place) {
  const Json* found = &configuration;
  for (std::size_t begin = 0; begin < place.size();) {
    if (!found->is_object()) return found;  // one number for the section
    const std::size_t end = std::min(place.find('.', begin), place.size());
    const auto next = found->find(std::string(place.substr(begin, end - begin)));
    if (next == found->end()) return nullptr;
    found = &*next;
    begin = end + 1;
  }
  return found;
}

void set_value(Json& configuration, const std::string& place, const Json& value) {
  const auto [section, key] = section_and_key(place);
  std::string pointer = "/" + section;
  std::ranges::replace(pointer, '.', '/');
  Json& json = configuration[Json::json_pointer(pointer)];
  if (json.is_number()) {  // one number for the section
    const Json number = std::exchange(json, Json::object());
    for (const KnownSetting& known : known_settings())
      if (known.place != section && is_in(known.place, section))
        json[section_and_key(known.place).second] = number;
  }
  json[key] = value;
}

std::string override_name(const std::string& assignment) {
  constexpr int longest = 1000;
  return "--set " + printable(assignment, longest);
}

void apply_override(Json& json, const std::string& assignment) {
  if (find_invalid_utf8(assignment)) fail("the text after --set is not UTF-8");
  const std::string name = override_name(assignment);
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) fail("{}: expected SETTING=VALUE, such as training.steps=2000", name);
  const std::string place = assignment.substr(0, equals), value = assignment.substr(equals + 1);
  const KnownSetting* known = find_setting(place);
  if (!known) fail_unknown_setting(name, place);
  if (known->section && !known->takes_number)
    fail("{}: {} is a section; set one of its settings, such as {}", name, place, (known + 1)->place);
  check_keys(json, "", name);
  set_value(json, place, Json::accept(value) ? parse_json(value, name) : Json(value));
}

std::string documented_defaults() {
  Printer printer;
  for (const KnownSetting& setting : known_settings()) printer.print(setting);
  printer.end();
  return printer.text;
}

}  // namespace regard::translation
