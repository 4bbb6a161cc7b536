#pragma once

#include <cstdint>
#include <vector>

#include "apps/exact_search/exact_search.h"
#include "apps/translation/translator/in_batches.h"

namespace regard::translation {

/// Searches the most probable translation of each tokenised sentence, one sentence after another. The
/// processes are as in search_all.
std::vector<transformer::ExactResult> exact_all(const Searched& with,
                                                const std::vector<std::vector<std::int32_t>>& sources,
                                                const transformer::ExactOptions& options,
                                                Processes& processes = one_process());

}  // namespace regard::translation
