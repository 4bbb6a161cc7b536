#pragma once

#include "autograd/checks/cases.h"

namespace regard::gradcheck_table {

/// Cases for gru, lstm and the last cells of an lstm.
std::vector<GradientCase> recurrence_cases();

}  // namespace regard::gradcheck_table
