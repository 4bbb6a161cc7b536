#pragma once

#include "apps/regard/commands.h"
#include "apps/translation/settings.h"

namespace regard::program {

/// The model's search options with what the command line replaces, and the thread count set. Throws Error for
/// values that make no search.
transformer::SearchOptions search_options(const Search& search, const translation::Settings& settings);

}  // namespace regard::program
