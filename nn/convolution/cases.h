#pragma once

#include "autograd/checks/cases.h"

namespace regard::gradcheck_table {

/// Cases for conv2d, max_pool2d and avg_pool2d.
std::vector<GradientCase> window_cases();

}  // namespace regard::gradcheck_table
