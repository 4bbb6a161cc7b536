// The gradient checks of pairs of a query and a key, for tests/autograd/gradients_test.cpp.
#include "nn/general_attention/cases.h"

#include "tests/autograd/case_tables.h"

namespace {

const regard::tests::AddCases of_pairs(regard::gradcheck_table::pair_cases,
                                       "additive_scores gaussian_weights");

}  // namespace
