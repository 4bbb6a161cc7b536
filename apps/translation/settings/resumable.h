#pragma once

#include <string>

#include "apps/translation/settings/settings.h"

namespace regard::translation {

/// Checks that a training that began with the settings `begun` can be resumed with the settings `now`. These
/// may change: limits, threads, how often the training logs, validates and saves, the settings for
/// checkpoints, the paths of the corpora (load_state compares the corpora themselves), and the settings of
/// the search, unless validation.metric depends on a search. Throws Error that names the first other setting
/// that differs, with both values. `directory` is for the message.
void check_resumable(const Settings& begun, const Settings& now, const std::string& directory);

}  // namespace regard::translation
