#pragma once

#include <functional>
#include <string>

#include "apps/translation/files/json.h"
#include "apps/translation/settings/settings.h"

namespace regard::translation {

// The settings of a search as keys of transformers' GenerationConfig, in both directions.

/// Reads a search from keys; `path` gives the file of a key. A missing key has the value that it has in
/// transformers, but max_length 512 and not 20, which would cut off most translations. Warns about each key
/// that changes what generate() writes and that regard has no setting for. Throws Error for a value out of
/// range.
transformer::SearchOptions search_of(const Json& keys,
                                     const std::function<std::string(const std::string& key)>& path);

/// The keys for the search of a model. Warns about each setting of `decoding` that transformers does not
/// have.
Json generation_of(const Settings& settings);

}  // namespace regard::translation
