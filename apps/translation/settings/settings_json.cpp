#include "apps/translation/settings/settings_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/translation/files/version.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

constexpr Index newest_format = 1;

// read(json, value, kind) reads the value if the kind allows it; otherwise it returns false.

bool read(const Json& json, bool& value, const Flag&) {
  if (!json.is_boolean()) return false;
  value = json.get<bool>();
  return true;
}

/// A text with a NUL character is refused, because a path would end there.
bool is_text(const Json& json) {
  return json.is_string() && json.get_ref<const std::string&>().find('\0') == std::string::npos;
}

bool read(const Json& json, std::string& value, const Text&) {
  if (!is_text(json)) return false;
  value = json.get<std::string>();
  return true;
}

bool read(const Json& json, std::vector<std::string>& value, const Texts&) {
  if (!json.is_array() || !std::ranges::all_of(json, is_text)) return false;
  value = json.get<std::vector<std::string>>();
  return true;
}

bool read(const Json& json, Paths& value, const Files&) {
  if (is_text(json)) {
    value = json.get<std::string>();
    return true;
  }
  std::vector<std::string> files;
  if (!read(json, files, Texts{}) || std::ranges::count(files, "") > 0) return false;
  value = files;
  return true;
}

bool read(const Json& json, double& value, const Range& range) {
  if (!json.is_number() || !range.holds(json.get<double>())) return false;
  value = json.get<double>();
  return true;
}

/// Whole numbers can be written as 4096 or as 4e3.
bool read(const Json& json, Index& value, const Range& any_numbers) {
  const Range range = any_numbers.whole();
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
  if (json.is_number_integer() && !(json.is_number_unsigned() && json.get<std::uint64_t>() > largest)) {
    if (!range.holds(json.get<double>())) return false;
    value = json.get<Index>();
    return true;
  }
  double number = 0;
  if (!read(json, number, range) || number != std::floor(number)) return false;
  value = static_cast<Index>(number);
  return true;
}

bool read(const Json& json, std::vector<Index>& value, const WholeNumbers& numbers) {
  if (!json.is_array() || to_index(json.size()) > numbers.most) return false;
  value.clear();
  return std::ranges::all_of(
      json, [&](const Json& entry) { return read(entry, value.emplace_back(), numbers.each); });
}

template <class T>
bool read(const Json& json, T& value, const Choices<T>& choices) {
  for (const auto& [name, option] : choices.options) {
    if (json != name) continue;
    value = option;
    return true;
  }
  return false;
}

template <class T, class Kind>
bool read(const Json& json, std::optional<T>& value, const Kind& kind) {
  if (!json.is_null()) return read(json, value.emplace(), kind);
  value.reset();
  return true;
}

/// A range compares with an excluded limit in float. Says so if a number is refused for its rounding alone.
template <class Kind>
std::string rounding_of(const Json&, const Kind&) {
  return "";
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

// write(value, kind) returns the JSON that read() reads.

template <class T, class Kind>
Json write(const T& value, const Kind&) {
  return value;
}

Json write(const Paths& value, const Files&) {
  if (value.files.size() > 1) return value.files;
  return value.empty() ? std::string() : value.files.front();
}

template <class T>
Json write(const T& value, const Choices<T>& choices) {
  return name_of(choices, value);
}

template <class T, class Kind>
Json write(const std::optional<T>& value, const Kind& kind) {
  return value ? write(*value, kind) : Json();
}

/// The visitor that reads values from JSON.
class Reader {
 public:
  Reader(const Json& json, const std::string& name) : json_(&json), name_(name) {}

  template <class Inside>
  void section(const std::string& key, Shorthand, const char*, const Inside& inside) {
    const auto found = json_->find(key);
    if (found == json_->end()) return;
    const Json* outer = std::exchange(json_, &*found);
    const std::string outer_place = std::exchange(place_, place_of(key));
    inside();
    json_ = outer;
    place_ = outer_place;
  }

  template <class Inside>
  void preset_values(const Inside& inside) {
    inside();
  }

  template <class T, class Kind>
  void field(const std::string& key, T& value, const Kind& kind, const char*) {
    // If one number replaces a section, every field of the section takes that number.
    const bool one_for_all = json_->is_number();
    const auto found = one_for_all ? json_->end() : json_->find(key);
    if (!one_for_all && found == json_->end()) return;
    const Json& given = one_for_all ? *json_ : *found;
    if (!read(given, value, kind))
      fail("{}: {} must be {}, got {}{}", name_, one_for_all ? place_ : place_of(key), allowed(value, kind),
           printable_value(given), rounding_of(given, kind));
  }

 private:
  std::string place_of(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }

  const Json* json_;  ///< the object (or the single number) of the section that is being read
  const std::string& name_;
  std::string place_;
};

/// The visitor that writes JSON.
class Writer {
 public:
  Json json = Json::object();

  template <class Inside>
  void section(const std::string& key, Shorthand, const char*, const Inside& inside) {
    Json outer = std::exchange(json, Json::object());
    inside();
    outer[key] = std::exchange(json, Json());
    json = std::move(outer);
  }

  template <class Inside>
  void preset_values(const Inside& inside) {
    inside();
  }

  template <class T, class Kind>
  void field(const std::string& key, const T& value, const Kind& kind, const char*) {
    json[key] = write(value, kind);
  }
};

/// The visitor that prints JSON with comments.
class Printer {
 public:
  std::string text = fmt::format("{{\n  \"format\": {}", newest_format);

  template <class Inside>
  void section(const std::string& key, Shorthand, const char* documentation, const Inside& inside) {
    begin_entry(key, "\n", documentation);
    text += "{";
    indentation_ += "  ";
    first_ = true;
    inside();
    indentation_.resize(indentation_.size() - 2);
    text += fmt::format("\n{}{}}}", indentation_, comment_out_);
  }

  /// Prints the preset's values as comments. As settings they would override every other preset.
  template <class Inside>
  void preset_values(const Inside& inside) {
    comment_out_ = "// ";
    inside();
    comment_out_ = "";
  }

  template <class T, class Kind>
  void field(const std::string& key, const T& value, const Kind& kind, const char* documentation) {
    begin_entry(key, "", fmt::format("{} [{}]", documentation, allowed(value, kind)));
    text += write(value, kind).dump();
  }

 private:
  void begin_entry(const std::string& key, const char* gap, const std::string& comment) {
    text += std::exchange(first_, false) ? "\n" : ",\n";
    text += fmt::format("{}{}// {}\n", gap, indentation_, comment);
    text += fmt::format("{}{}\"{}\": ", indentation_, comment_out_, key);
  }

  std::string indentation_ = "  ";
  const char* comment_out_ = "";
  bool first_ = false;  ///< the current object is still empty, so no comma is needed
};

/// Throws Error for a key that no setting has, and for a value in the place of a section.
void check_keys(const Json& json, const std::string& prefix, const std::string& name) {
  for (const auto& [key, value] : json.items()) {
    const std::string place = prefix + key;
    if (place == "format" || place == "version") continue;
    const KnownSetting* known = key.find('.') == std::string::npos ? find_setting(place) : nullptr;
    if (!known) fail_unknown_setting(name, place);
    const bool takes_number = known->shorthand == Shorthand::number;
    if (!known->section || (takes_number && value.is_number())) continue;
    if (!value.is_object())
      fail("{}: {} must be an object with settings{}, got {}", name, place,
           takes_number ? ", or one number" : "", printable_value(value));
    check_keys(value, place + ".", name);
  }
}

}  // namespace

Settings parse_settings(const Json& json, const std::string& name) {
  if (!json.is_object())
    fail("{}: a configuration is a JSON object {{...}}, got {}", name, printable_value(json));
  if (json.contains("format")) check_format(json, newest_format, name);
  check_keys(json, "", name);
  Settings named;
  Reader first(json, name);
  describe(first, named);
  // Read again, now that the preset is known. The settings of the model replace its values.
  Settings settings;
  settings.model = model_preset(named.model.preset);
  Reader second(json, name);
  describe(second, settings);
  return settings;
}

Json to_json(const Settings& settings) {
  Settings copy = settings;  // describe() also serves the reader, so it needs settings that can be changed
  Writer writer;
  writer.json["format"] = newest_format;
  writer.json["version"] = exact_version();
  describe(writer, copy);
  return writer.json;
}

Json value_at(const Json& configuration, const std::string& place) {
  std::string pointer = "/" + place;
  std::ranges::replace(pointer, '.', '/');
  return configuration.at(Json::json_pointer(pointer));
}

std::string documented_defaults() {
  Settings defaults;
  Printer printer;
  describe(printer, defaults);
  return printer.text + "\n}\n";
}

}  // namespace regard::translation
