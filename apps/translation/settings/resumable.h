#pragma once

#include <string>

#include "apps/translation/settings/settings.h"

namespace regard::translation {

/// Whether a training that began with some settings may go on with others: limits, threads, what is logged,
/// validated and kept, and the corpora's paths may change (the corpora themselves are compared elsewhere),
/// and how to search, unless the best weights are found by searching. Throws Error naming the first other
/// setting that differs, with both values. `directory` is for the message.
void check_resumable(const Settings& begun, const Settings& now, const std::string& directory);

}  // namespace regard::translation
