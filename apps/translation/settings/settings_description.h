#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/translation/files/json.h"
#include "apps/translation/settings/choices.h"
#include "apps/translation/settings/settings.h"

namespace regard::translation {

// The only description of the settings is a table (settings_description.cpp, model_description.cpp), with the
// name, the range, the meaning and the rules of each. Loops over it read, write, print, change, compare and
// inherit settings.

/// When a setting may change before a training is resumed. load_state compares the corpora themselves.
enum class Change {
  refused,
  allowed,
  unless_cosine,   ///< the number of steps is part of the shape of a cosine schedule
  unless_searched  ///< not if validation.metric needs a search: scores of another search cannot be compared
};

/// What a training that begins with a model directory (training.initial_weights) does with a setting of that
/// model if its own configuration does not give it.
enum class Inheritance {
  none,
  equal,  ///< takes it; another value is refused, because the weights or vocabularies would not fit
  free    ///< takes it; another value may be given
};

/// A setting that must have one of these values, which are separated by blanks. "": any value but "".
struct Condition {
  std::string_view place, values;
};

/// What a setting needs, or it has no effect: all conditions of one of these alternatives. Empty: nothing.
using Need = std::vector<std::vector<Condition>>;

/// True if a configuration with all settings (to_json) has what a setting needs.
bool has(const Json& configuration, const Need& need);

/// The text for a message: model.encoder "transformer" or "patches", or model.decoder "transformer"
std::string to_string(const Need& need);

/// The rules of a setting. Those that are not given are the rules of its section.
struct Rules {
  std::optional<Change> change = {};
  std::optional<Inheritance> inheritance = {};
  std::optional<Need> need = {};
};

/// An entry of the description.
struct KnownSetting {
  std::string place;  ///< such as "training.steps"
  std::string documentation = {};
  bool section = false;       ///< contains settings
  bool takes_number = false;  ///< one number can replace this section and sets all its settings
  Change change = Change::refused;
  Inheritance inheritance = Inheritance::none;
  Need need = {};  ///< what it needs to have an effect
  /// Reads the value. If it is not allowed, returns the rest of a sentence: "must be ..., got ...".
  std::function<std::string(const Json& json)> read = {};
  std::function<Json()> write = {};
};

/// Returns the description, in the order of a configuration. It reads into these settings, and writes them.
std::vector<KnownSetting> describe(Settings& settings);

/// The same entries, of the default settings.
const std::vector<KnownSetting>& known_settings();

/// Returns the entry for a place, or null.
const KnownSetting* find_setting(std::string_view place);

/// True if a place is this setting, or lies in this section.
inline bool is_in(std::string_view place, std::string_view entry) {
  return place.starts_with(entry) && (place.size() == entry.size() || place[entry.size()] == '.');
}

/// Throws Error: there is no such setting. The message contains `name`, the source of the wrong setting, and
/// the setting that means the same as in other programs, or else the most similar one.
[[noreturn]] void fail_unknown_setting(const std::string& name, const std::string& place);

/// Settings of JoeyNMT, fairseq, OpenNMT, Marian or CTranslate2 that mean the same.
struct OtherNames {
  std::string_view here;   ///< the setting of regard; or a sentence, if there is none
  std::string_view there;  ///< their keys, with _ for -, separated by blanks
  bool exists = true;      ///< regard has such a setting
};
std::span<const OtherNames> other_names();

// The kinds of settings: the values that a setting may have. For each,
//   allowed(value, kind)     describes them
//   read(json, value, kind)  reads the value, or returns false if it is not allowed (settings_json.cpp)

/// true or false.
struct Flag {};

/// Any text, or any list of texts, or the files of a text.
struct Text {
  std::string what;
};

/// The numbers from `low` to `high`. Both are included unless they are marked as excluded.
struct Range {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool low_excluded = false;
  bool high_excluded = false;

  bool holds(double x) const;
  std::string text() const;

  /// The same for whole numbers. Each has an upper limit, so that sums and products of two settings fit an
  /// Index. It is a billion if the range gives none.
  Range whole() const;
};

/// A list of at most this many whole numbers, each in this range.
struct WholeNumbers {
  Range each;
  Index most = 0;
};

inline Range at_least(double low) { return {.low = low}; }
/// Widths of tensors: a product of three of them and their bytes fit an Index.
inline Range size_from(double low) { return {.low = low, .high = 65536}; }
inline Range above(double low) { return {.low = low, .low_excluded = true}; }
inline Range from_to(double low, double high) { return {.low = low, .high = high}; }
inline Range from_to_below(double low, double high) {
  return {.low = low, .high = high, .high_excluded = true};
}

inline std::string allowed(const bool&, const Flag&) { return "true or false"; }
template <class T>
std::string allowed(const T&, const Text& text) {
  return text.what;
}
inline std::string allowed(const double&, const Range& range) { return "a number " + range.text(); }
inline std::string allowed(const Index&, const Range& range) {
  return "a whole number " + range.whole().text();
}
inline std::string allowed(const std::vector<Index>&, const WholeNumbers& numbers) {
  return fmt::format("a list of at most {} whole numbers, each {}", numbers.most,
                     numbers.each.whole().text());
}
template <class T>
std::string allowed(const T&, const Choices<T>& choices) {
  return list_of_names(choices);
}
template <class T, class Kind>
std::string allowed(const std::optional<T>&, const Kind& kind) {
  return allowed(T{}, kind) + ", or null";
}

bool read(const Json& json, bool& value, const Flag&);
bool read(const Json& json, std::string& value, const Text&);
bool read(const Json& json, std::vector<std::string>& value, const Text&);
bool read(const Json& json, Paths& value, const Text&);
bool read(const Json& json, double& value, const Range& range);
bool read(const Json& json, Index& value, const Range& range);
bool read(const Json& json, std::vector<Index>& value, const WholeNumbers& numbers);

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

template <class T, class Kind>
Json write(const T& value, const Kind&) {
  return value;
}
Json write(const Paths& value, const Text&);
template <class T>
Json write(const T& value, const Choices<T>& choices) {
  return name_of(choices, value);
}
template <class T, class Kind>
Json write(const std::optional<T>& value, const Kind& kind) {
  return value ? write(*value, kind) : Json();
}

/// Says so if a number was refused only because it rounds to an excluded limit.
std::string rounding_of(const Json& json, const Range& range);
template <class Kind>
std::string rounding_of(const Json&, const Kind&) {
  return "";
}

/// Builds the table.
class Description {
 public:
  std::vector<KnownSetting> settings;

  KnownSetting& section(const std::string& place, const std::string& documentation, const Rules& rules = {});

  template <class T, class Kind>
  void field(const std::string& place, T& value, const Kind& kind, const std::string& documentation,
             const Rules& rules = {}) {
    KnownSetting& added = add(place, fmt::format("{} [{}]", documentation, allowed(value, kind)), rules);
    added.read = [&value, kind](const Json& json) {
      if (read(json, value, kind)) return std::string();
      return fmt::format("must be {}, got {}{}", allowed(value, kind), printable_value(json),
                         rounding_of(json, kind));
    };
    added.write = [&value, kind] { return write(value, kind); };
  }

 private:
  KnownSetting& add(const std::string& place, const std::string& documentation, const Rules& rules);
};

/// Adds the section `model`.
void describe_model(Description& table, ModelSettings& model);

}  // namespace regard::translation
