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

/// Sections and settings that may change when a training is resumed.
constexpr std::array<std::string_view, 19> changeable{"data.source",
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
                                                      "training.unequal_kernels",
                                                      "training.log_every",
                                                      "validation.every_steps",
                                                      "validation.every_epochs",
                                                      "validation.beam",
                                                      "validation.patience",
                                                      "checkpoints",
                                                      "decoding"};

bool may_change(const std::string& place, const Settings& now) {
  // The number of steps is part of the shape of a cosine schedule.
  if (place == "training.steps" && now.training.schedule == nn::Schedule::cosine) return false;
  // The scores of another search cannot be compared with the best score so far.
  const bool searched = place == "validation.beam" || (is_in(place, "decoding") && place != "decoding.beam");
  if (searched && now.validation.metric != ValidationMetric::loss) return false;
  return std::ranges::any_of(changeable, [&](std::string_view entry) { return is_in(place, entry); });
}

/// True for settings that this training ignores: all settings of subwords if there are no subwords, and their
/// type and size if the subwords come from a file or from another model.
bool has_no_effect(const std::string& place, const Settings& begun, const Settings& now) {
  if (begun.data.tokeniser != "sentencepiece" && now.data.tokeniser != "sentencepiece" &&
      is_in(place, "data.subwords"))
    return true;
  const bool given = !begun.data.subwords.model.empty() || !now.data.subwords.model.empty() ||
                     !now.training.initial_weights.empty();
  return given && (place == "data.subwords.type" || place == "data.subwords.size");
}

/// Returns a value as it is written in a configuration.
std::string value(const Json& json) {
  return json.is_array() ? printable(json.dump(), 100) : printable_value(json);
}

}  // namespace

std::optional<ChangedSetting> changed_setting(const Settings& begun, const Settings& now) {
  const Json before = to_json(resolved(begun)), after = to_json(resolved(now));
  for (const KnownSetting& setting : known_settings()) {
    if (setting.section || may_change(setting.place, now) || has_no_effect(setting.place, begun, now))
      continue;
    const Json one = value_at(before, setting.place), other = value_at(after, setting.place);
    if (one != other) return ChangedSetting{setting.place, value(one), value(other)};
  }
  return std::nullopt;
}

void check_resumable(const Settings& begun, const Settings& now, const std::string& directory) {
  if (const auto changed = changed_setting(begun, now))
    fail(
        "{} was {} when the training in {} began, and is {} now; give {} again to resume, another "
        "directory, or --overwrite to start a new training",
        changed->place, changed->begun, directory, changed->now, changed->begun);
}

}  // namespace regard::translation
