#pragma once

// What the tests of optimisers share.

#include "nn/module.h"
#include "tests/tensors.h"

namespace regard::tests {

inline Tensor parameter_of(const Numbers& values) {
  return nn::parameter(Tensor::from({to_index(values.size())}, std::span<const Real>(values)));
}

/// Leaves `gradient` in x, as the backward of sum(gradient * x) does.
inline void give_gradient(const Tensor& x, const Numbers& gradient) {
  sum(x * Tensor::from(x.shape(), std::span<const Real>(gradient))).backward();
}

}  // namespace regard::tests
