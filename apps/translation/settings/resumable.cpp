#include "apps/translation/settings/resumable.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "apps/translation/settings/settings_description.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

/// Sections and settings that may change.
constexpr std::array<std::string_view, 18> changeable{"data.source",
                                                      "data.target",
                                                      "data.tsv",
                                                      "data.validation_source",
                                                      "data.validation_target",
                                                      "data.validation_tsv",
                                                      "data.subwords.model",
                                                      "training.steps",
                                                      "training.epochs",
                                                      "training.tokens",
                                                      "training.threads",
                                                      "training.log_every",
                                                      "validation.every_steps",
                                                      "validation.every_epochs",
                                                      "validation.beam",
                                                      "validation.patience",
                                                      "checkpoints",
                                                      "decoding"};

/// Whether a place is a setting or something in it, if it is a section.
bool is_in(const std::string& place, std::string_view entry) {
  return place.starts_with(entry) && (place.size() == entry.size() || place[entry.size()] == '.');
}

bool may_change(const std::string& place, const Settings& now) {
  // The last step of a cosine is part of its shape.
  if (place == "training.steps" && now.training.schedule == nn::Schedule::cosine) return false;
  // Scores of another search cannot be compared with the best so far.
  const bool searched = place == "validation.beam" || (is_in(place, "decoding") && place != "decoding.beam");
  if (searched && now.validation.metric != ValidationMetric::loss) return false;
  return std::ranges::any_of(changeable, [&](std::string_view entry) { return is_in(place, entry); });
}

/// Type and size are those of the subwords that the training began with, whatever the settings say beside.
/// Without subwords none of their settings counts.
bool has_no_effect(const std::string& place, const Settings& begun, const Settings& now) {
  if (begun.data.tokeniser != "sentencepiece" && now.data.tokeniser != "sentencepiece" &&
      is_in(place, "data.subwords"))
    return true;
  const bool given = !begun.data.subwords.model.empty() || !now.data.subwords.model.empty() ||
                     !now.training.initial_weights.empty();
  return given && (place == "data.subwords.type" || place == "data.subwords.size");
}

Json at(const Json& json, const std::string& place) {
  std::string pointer = "/" + place;
  std::ranges::replace(pointer, '.', '/');
  return json.at(Json::json_pointer(pointer));
}

/// As a configuration has it.
std::string value(const Json& json) { return json.is_array() ? shown(json.dump(), 100) : words_for(json); }

}  // namespace

void check_resumable(const Settings& begun, const Settings& now, const std::string& directory) {
  const Json before = to_json(resolved(begun)), after = to_json(resolved(now));
  for (const KnownSetting& setting : known_settings()) {
    if (setting.section || may_change(setting.place, now) || has_no_effect(setting.place, begun, now))
      continue;
    const Json one = at(before, setting.place), other = at(after, setting.place);
    if (one != other)
      fail(
          "{} was {} when the training in {} began, and is {} now; give {} again to go on, another "
          "directory, or --overwrite to begin anew",
          setting.place, value(one), directory, value(other), value(one));
  }
}

}  // namespace regard::translation
