#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/index.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

// Negative axes count from the end. All throw Error naming the operation and the shapes when they do not fit.

/// The same elements in another shape of the same size; shares memory.
Tensor reshape(const Tensor& x, const Shape& shape);
/// Exchanges two axes.
Tensor transpose(const Tensor& x, Index axis_a = -2, Index axis_b = -1);
/// Elements begin .. end (exclusive) along an axis; along axis 0 it shares memory.
Tensor slice(const Tensor& x, Index axis, Index begin, Index end);
/// The tensors one after another along an axis; all other extents must be equal.
Tensor concat(const std::vector<Tensor>& tensors, Index axis);
/// Slices indices[0], indices[1], … along an axis; an index may occur many times.
Tensor gather(const Tensor& x, Index axis, std::span<const std::int32_t> indices);

}}  // namespace regard::REGARD_PRECISION
