#pragma once

#include <optional>
#include <string>

#include "apps/translation/settings/settings.h"

namespace regard::translation {

/// A setting with two values, as they are written in a configuration.
struct ChangedSetting {
  std::string place, begun, now;
};

/// Returns the first setting that differs and that may not change when a training is resumed; nothing if
/// there is none.
std::optional<ChangedSetting> changed_setting(const Settings& begun, const Settings& now);

/// Checks that a training that began with the settings `begun` can be resumed with the settings `now`. These
/// may change: limits, threads, how often the training logs, validates and saves, the settings for
/// checkpoints, the paths of the corpora (load_state compares the corpora themselves), and the settings of
/// the search, unless validation.metric depends on a search. Throws Error that names the first other setting
/// that differs, with both values. `directory` is for the message.
void check_resumable(const Settings& begun, const Settings& now, const std::string& directory);

}  // namespace regard::translation
