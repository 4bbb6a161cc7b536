// The gradient checks of recurrences, for tests/autograd/gradients_test.cpp.
#include "nn/recurrent/cases.h"

#include "tests/autograd/case_tables.h"

namespace {

const regard::tests::AddCases of_recurrences(regard::gradcheck_table::recurrence_cases,
                                             "gru last_cells lstm");

}  // namespace
