#pragma once

#include <vector>

#include "autograd/index.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

struct Reduction {
  /// Which axes to reduce; empty: all. Negative axes count from the end.
  std::vector<Index> axes = {};
  /// Leave reduced axes in the shape with extent 1.
  bool keep_axes = false;
};

Tensor sum(const Tensor& x, const Reduction& reduction = {});
Tensor mean(const Tensor& x, const Reduction& reduction = {});
/// If the largest value occurs more than once, its occurrences share the gradient equally (as in torch.amax).
/// NaN counts as the largest, and gets no gradient. Throws Error if there is nothing to take the maximum of.
Tensor max(const Tensor& x, const Reduction& reduction = {});

}}  // namespace regard::REGARD_PRECISION
