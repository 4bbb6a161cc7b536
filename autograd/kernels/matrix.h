#pragma once

#include "autograd/blas.h"
#include "autograd/grad_slot.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

using Matrix = blas::Matrix<Real>;
using ConstMatrix = blas::Matrix<const Real>;

/// How a product goes into a gradient. (Static: each kernel file has its own copy, see kernel.h.)
[[maybe_unused]] static inline blas::Store store(GradSlot slot) {
  return slot.add ? blas::Store::add : blas::Store::overwrite;
}

}}}  // namespace regard::REGARD_PRECISION::kernels
