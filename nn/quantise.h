#pragma once

#include <vector>

#include "autograd/precision.h"
#include "autograd/real.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

// Trained weights in fewer bits. Only the matrices change that nothing but products x W^T and look-ups of
// rows read (Visitor::Use); biases, norms and recurrent weights stay float32. The float library only: in the
// double library both functions throw Error.

/// Replaces these matrices by copies in bfloat16 or int8, which the products read from now on. The float32
/// values are freed, and the model has no gradients any more. Matrices that are 8-bit numbers from a file are
/// packed. Throws Error unless this machine computes such products, and for a value that is not finite.
void set_precision(Module& module, Precision precision);

/// The parameters with 8-bit numbers in place of these matrices, to be written into a file
/// (nn/safetensors.h).
std::vector<NamedParameter> quantised_parameters(Module& module);

/// True if the module has a matrix that exists in 8 bits only.
bool is_quantised(Module& module);

}}}  // namespace regard::REGARD_PRECISION::nn
