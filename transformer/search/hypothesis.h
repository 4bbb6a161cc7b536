#pragma once

#include <cstdint>
#include <vector>

#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A finished translation.
struct Hypothesis {
  std::vector<std::int32_t> tokens;  ///< without <s> and </s>
  double log_probability = 0;        ///< of the tokens and </s>
  double score = 0;                  ///< log_probability / length penalty of n tokens, </s> counted
};

}}}  // namespace regard::REGARD_PRECISION::transformer
