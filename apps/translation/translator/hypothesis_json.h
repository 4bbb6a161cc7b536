#pragma once

#include <nlohmann/json.hpp>

#include "transformer/search/search.h"

// How processes tell each other hypotheses (sharing.h).

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hypothesis, tokens, log_probability, score)

}}}  // namespace regard::REGARD_PRECISION::transformer
