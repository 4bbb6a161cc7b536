// The gradient checks of windows, for tests/autograd/gradients_test.cpp.
#include "nn/convolution/cases.h"

#include "tests/autograd/case_tables.h"

namespace {

const regard::tests::AddCases of_windows(regard::gradcheck_table::window_cases,
                                         "avg_pool2d conv2d max_pool2d");

}  // namespace
