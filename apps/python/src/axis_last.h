#pragma once

#include "autograd/autograd.h"

namespace regard::python { inline namespace REGARD_PRECISION {

/// x with this axis behind all others.
inline Tensor axis_last(Tensor x, Index axis) {
  for (Index i = x.shape().wrap(axis); i + 1 < x.rank(); ++i) x = transpose(x, i, i + 1);
  return x;
}

}}  // namespace regard::python::REGARD_PRECISION
