#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/translation/files/choices.h"
#include "apps/translation/files/json_fields.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"

namespace regard::translation {

// The only description of the settings is a table (settings_description.cpp, model_description.cpp,
// training_description.cpp), with the name, the range, the meaning and the rules of each. Loops over it read,
// write, print, change, compare and inherit settings.

/// What a training that begins with a model directory (training.initial_weights) does with a setting of that
/// model if its own configuration does not give it.
enum class Inheritance {
  none,
  equal,   ///< takes it; another value is refused, because the weights or vocabularies would not fit
  learnt,  ///< the same; but a program's settings may have the default, because the vocabularies are taken,
           ///< too
  free     ///< takes it; another value may be given
};

/// Whether a setting belongs to the identity of a model: weights that were learnt with another value have
/// the same shapes, but do not fit (identity_of, model/weights.h).
enum class Identity {
  none,
  always,
  if_changed  ///< a file of weights names it only if it has not its usual value
};

/// A setting that must have one of these values, which are separated by blanks. "": any value but "" and 0.
struct Condition {
  std::string place, values;
};

/// What a setting needs, or it has no effect: all conditions of one of these alternatives. Empty: nothing.
using Need = std::vector<std::vector<Condition>>;

/// True if the values of all settings have what a setting needs.
bool has(const Values& all, const Need& need);

/// The text for a message: model.encoder "transformer" or "patches", or model.decoder "transformer"
std::string to_string(const Need& need);

/// The rules of a setting. Those that are not given are the rules of its section.
struct Rules {
  /// True if a training may be resumed with another value. load_state compares the corpora themselves.
  bool (*may_change)(const Settings& now) = nullptr;
  std::optional<Inheritance> inheritance = {};
  std::optional<Need> need = {};
  Need replaced_by = {};  ///< something else decides in its place if the settings have one of these
  Identity identity = Identity::none;  ///< these two are not a section's
};

/// An entry of the description.
struct KnownSetting {
  std::string place;  ///< such as "training.steps"
  std::string documentation = {};
  bool section = false;       ///< contains settings
  bool takes_number = false;  ///< one number can replace this section and sets all its settings
  bool (*may_change)(const Settings& now) = [](const Settings&) { return false; };
  Inheritance inheritance = Inheritance::none;
  Need need = {};         ///< what it needs to have an effect
  Need replaced_by = {};  ///< what takes its effect away
  Identity identity = Identity::none;
  Kind kind = {};
  std::function<void(const Json& json)> read = {};  ///< reads a value that `kind` holds
  std::function<Json()> write = {};
};

/// True if a training with these settings reads this one. A program may validate on a corpus that the
/// settings do not name, so the needs count for the settings of models alone, which are inherited.
bool is_read(const KnownSetting& setting, const Values& all);

/// Throws Error that contains `name` and the place, if a setting may not have this value.
void check_value(const KnownSetting& setting, const Json& value, const std::string& place,
                 const std::string& name);

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

/// Splits "training.steps" into "training" and "steps", and "training" into "" and "training".
std::pair<std::string_view, std::string_view> section_and_key(std::string_view place);

/// Throws Error: there is no such setting. The message contains `name`, the source of the wrong setting, and
/// the setting that means the same as in other programs, or else the most similar one.
[[noreturn]] void fail_unknown_setting(const std::string& name, const std::string& place);

/// Returns the option of commands that set this setting: "decoding.max_length" is --max-length.
std::string option_of(std::string_view place);

/// Returns a clause for a message about an unknown option (without --), if it is the name of a setting, here
/// or in other programs: "; regard calls it --beam" or "; regard calls it training.seed: give --set
/// training.seed=VALUE". `has` tells which options the command has. Otherwise returns an empty text.
std::string about_option(std::string_view option, const std::function<bool(const std::string&)>& has);

/// Names of other programs.
struct OtherName {
  std::string_view here;   ///< the setting of regard; or a sentence, if there is none
  std::string_view there;  ///< their keys, with _ for -, separated by blanks
};
std::span<const OtherName> other_names();

// The kinds of settings, beside those of json_fields.h.

/// The files of a text (Paths).
Kind files();
/// Widths of tensors: a product of three of them and their bytes fit an Index.
constexpr Index widest = 65536;
inline Kind size_from(Index low) { return whole(low, widest); }
/// Most positions with parameters of their own.
constexpr Index most_positions = 1'000'000;

/// How scores become weights, in every attention.
inline const Choices<Normaliser> normalisers{{"softmax", Normaliser::softmax},
                                             {"sparsemax", Normaliser::sparsemax},
                                             {"relu", Normaliser::relu},
                                             {"sigmoid", Normaliser::sigmoid}};
constexpr const char* about_normalisers =
    "How scores become weights. sparsemax: Martins and Astudillo 2016. relu: max(0, score), divided by the "
    "sum. sigmoid: of score - log n for n keys (Ramapuram et al. 2024); the sum is not 1.";

template <class T>
void read_value(const Json& json, T& value) {
  value = json.get<T>();
}
template <class T>
void read_value(const Json& json, std::optional<T>& value) {
  value = json.is_null() ? std::optional<T>() : json.get<T>();
}
void read_value(const Json& json, Paths& value);
template <class T>
Json write_value(const T& value) {
  return value;
}
template <class T>
Json write_value(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
Json write_value(const Paths& value);

/// A section of the table, to which settings and sections are added. They have its rules unless they are
/// given others.
class Section {
 public:
  /// `entry` is the section itself; one without a place holds the whole table.
  Section(std::vector<KnownSetting>& table, KnownSetting entry) : table_(table), entry_(std::move(entry)) {}
  /// Adds a section. `takes_number`: one number can replace it.
  Section section(const std::string& name, const std::string& documentation, const Rules& rules = {},
                  bool takes_number = false) const;

  /// The same section. Settings that are added to the result have these rules.
  Section with(const Rules& rules) const;

  template <class T>
  void add(const std::string& name, T& value, const Kind& kind, const std::string& documentation,
           const Rules& rules = {}) const {
    add(
        name, kind, [&value](const Json& json) { read_value(json, value); },
        [&value] { return write_value(value); }, documentation, rules);
  }
  template <class T>
  void add(const std::string& name, T& value, const Choices<T>& choices, const std::string& documentation,
           const Rules& rules = {}) const {
    const auto read = [&value, choices](const Json& json) {
      value = value_of(choices, json.get<std::string>(), "");
    };
    add(
        name, one_of(names_of(choices)), read, [&value, choices] { return name_of(choices, value); },
        documentation, rules);
  }

 private:
  void add(const std::string& name, const Kind& kind, std::function<void(const Json&)> read,
           std::function<Json()> write, const std::string& documentation, const Rules& rules) const;
  /// Returns an entry with the rules of this section, where `rules` has no others.
  KnownSetting entry(const std::string& name, const std::string& documentation, const Rules& rules) const;

  std::vector<KnownSetting>& table_;
  KnownSetting entry_;
};

// Whether a setting may change when a training is resumed (Rules::may_change).
inline bool always(const Settings&) { return true; }
/// Scores that need a search cannot be compared if the search is another one.
inline bool unless_searched(const Settings& now) { return now.validation.metric == ValidationMetric::loss; }

/// Add the sections `model`, `training`, `validation` and `checkpoints`.
void describe_model(const Section& all, ModelSettings& model);
void describe_training(const Section& all, TrainingSettings& training);
void describe_validation(const Section& all, ValidationSettings& validation);
void describe_checkpoints(const Section& all, CheckpointSettings& checkpoints);

/// Throws Error if the settings of the training, or what it keeps, contradict each other.
void check_training(const Settings& settings);
void check_checkpoints(const Settings& settings);

}  // namespace regard::translation
