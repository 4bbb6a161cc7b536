#pragma once

#include "autograd/checks/cases.h"

namespace regard::gradcheck_table {

/// Cases for additive_scores and gaussian_weights.
std::vector<GradientCase> pair_cases();

}  // namespace regard::gradcheck_table
