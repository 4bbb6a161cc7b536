#pragma once

#include "autograd/ops/ranges.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// How scores become weights (autograd/ops/ranges.h). The weights of a query sum to 1, but for sigmoid.
enum class Normaliser { softmax, sparsemax, relu, sigmoid };

/// The weights [pairs] of scores [pairs].
Tensor normalise(Normaliser normaliser, const Tensor& scores, const KeyRanges& ranges);

}}}  // namespace regard::REGARD_PRECISION::nn
