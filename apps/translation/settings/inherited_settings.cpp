#include "apps/translation/settings/inherited_settings.h"

#include <algorithm>
#include <array>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

bool is_inherited(const std::string& place) {
  constexpr std::array<std::string_view, 7> inherited{"model",
                                                      "data.tokeniser",
                                                      "data.joint_vocabulary",
                                                      "data.vocabulary_size",
                                                      "data.minimum_frequency",
                                                      "data.subwords",
                                                      "data.images"};
  // The model directory has a copy of its subwords. The path from which they came may be gone.
  return place != "data.subwords.model" &&
         std::ranges::any_of(inherited, [&](std::string_view entry) { return is_in(place, entry); });
}

bool must_be_equal(const std::string& place) {
  constexpr std::array<std::string_view, 4> may_differ{
      "model.preset", "model.dropout", "data.subwords.sampling", "data.subwords.sampling_n_best"};
  return is_inherited(place) &&
         std::ranges::none_of(may_differ, [&](std::string_view entry) { return is_in(place, entry); });
}

/// True if a configuration gives this setting, itself or by one number for the whole section.
bool gives(const Json& configuration, const std::string& place) {
  const Json* found = &configuration;
  for (std::size_t begin = 0; begin < place.size();) {
    if (!found->is_object()) return true;  // one number for the section
    const std::size_t end = std::min(place.find('.', begin), place.size());
    const auto next = found->find(place.substr(begin, end - begin));
    if (next == found->end()) return false;
    found = &*next;
    begin = end + 1;
  }
  return true;
}

}  // namespace

void inherit(Json& configuration, const Settings& of_model) {
  const Json theirs = to_json(of_model);
  const bool other_preset = gives(configuration, "model.preset") &&
                            value_at(configuration, "model.preset") != of_model.model.preset;
  for (const KnownSetting& setting : known_settings()) {
    const std::string& place = setting.place;
    if (setting.section || !is_inherited(place) || gives(configuration, place)) continue;
    if (other_preset && is_in(place, "model")) continue;
    apply_override(configuration, place + "=" + value_at(theirs, place).dump());
  }
}

std::vector<std::string> contradictions(const Settings& settings, const Settings& of_model) {
  const Json here = to_json(resolved(settings)), there = to_json(resolved(of_model));
  std::vector<std::string> found;
  const auto compare = [&](const std::string& place) {
    const Json one = value_at(there, place), other = value_at(here, place);
    if (one != other)
      found.push_back(
          fmt::format("{} is {} there and {} here", place, printable_value(one), printable_value(other)));
  };
  for (const KnownSetting& setting : known_settings())
    if (!setting.section && must_be_equal(setting.place)) compare(setting.place);
  // Another preset alone is no contradiction, but it may be the source of one.
  const auto of_shape = [](const std::string& text) { return text.starts_with("model."); };
  if (std::ranges::any_of(found, of_shape)) compare("model.preset");
  return found;
}

void check_inherited(const Settings& settings, const Settings& of_model, const std::string& directory) {
  const std::vector<std::string> found = contradictions(settings, of_model);
  if (!found.empty())
    fail(
        "{}, the model of training.initial_weights, has other settings: {}; leave them out of the "
        "configuration, and they are taken from there",
        directory, fmt::join(found, "; "));
}

}  // namespace regard::translation
