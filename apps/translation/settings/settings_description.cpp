#include "apps/translation/settings/settings_description.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "apps/translation/settings/other_names.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {
namespace {

/// The visitor that lists the places of all settings.
class Lister {
 public:
  std::vector<KnownSetting> settings;

  template <class Inside>
  void section(const std::string& key, Shorthand shorthand, const char*, const Inside& inside) {
    settings.push_back({.place = prefix_ + key, .section = true, .shorthand = shorthand});
    const std::string outer = std::exchange(prefix_, prefix_ + key + ".");
    inside();
    prefix_ = outer;
  }

  template <class Inside>
  void preset_values(const Inside& inside) {
    inside();
  }

  template <class T, class Kind>
  void field(const std::string& key, T&, const Kind&, const char*) {
    settings.push_back({.place = prefix_ + key});
  }

 private:
  std::string prefix_;
};

/// The number of insertions, deletions and replacements that turn one text into the other (Levenshtein 1966).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of a[0 .. i) to every b[0 .. j)
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

/// Splits "training.steps" into "training" and "steps".
std::pair<std::string_view, std::string_view> section_and_key(std::string_view place) {
  const std::size_t dot = place.rfind('.');
  if (dot == std::string_view::npos) return {"", place};
  return {place.substr(0, dot), place.substr(dot + 1)};
}

/// Returns the known setting whose name is most similar, or nothing if none is similar. It compares the keys
/// first and the sections second, so that a setting in the wrong section is found. The number of edits is
/// divided by the length of the longer key, because otherwise every short key would be near to every other
/// short key.
std::string nearest_setting(std::string_view place) {
  const auto [section, key] = section_and_key(place);
  const auto distance = [section = section, key = key](const KnownSetting& known) {
    const auto [known_section, known_key] = section_and_key(known.place);
    const auto edits = static_cast<double>(edit_distance(key, known_key));
    return std::pair(edits / static_cast<double>(std::max(key.size(), known_key.size())),
                     edit_distance(section, known_section));
  };
  const KnownSetting& nearest = std::ranges::min(known_settings(), {}, distance);
  return distance(nearest).first < 0.7 ? nearest.place : "";
}

}  // namespace

const std::vector<KnownSetting>& known_settings() {
  static const std::vector<KnownSetting> all = [] {
    Lister lister;
    Settings settings;
    describe(lister, settings);
    return lister.settings;
  }();
  return all;
}

const KnownSetting* find_setting(std::string_view place) {
  for (const KnownSetting& known : known_settings())
    if (known.place == place) return &known;
  return nullptr;
}

void fail_unknown_setting(const std::string& name, const std::string& place) {
  std::string help = about_other_name(section_and_key(place).second);
  if (help.empty()) {
    const std::string nearest = nearest_setting(place);
    help = nearest.empty() ? "regard train --print-config shows all settings"
                           : "the most similar one is " + nearest;
  }
  fail("{}: there is no setting {}; {}", name, printable(place), help);
}

}  // namespace regard::translation
