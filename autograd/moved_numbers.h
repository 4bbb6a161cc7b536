#pragma once

#include <vector>

#include "autograd/index.h"
#include "autograd/profile.h"
#include "autograd/tensor.h"

// For the profile: how many numbers an operation reads from memory and writes to it, each number once. An
// operation knows this best and calls count_moved(). For an operation that does not, there is an estimate, to
// be called only while profiling().

namespace regard { inline namespace REGARD_PRECISION {

/// Adds so many numbers to the innermost open span of this thread. Does nothing without a profile.
inline void count_moved(Index numbers) { count_bytes(sizeof(Real) * static_cast<double>(numbers)); }

/// Unless count_moved() was called in this span: a forward reads its inputs, each tensor once, and writes its
/// result. A result that shares the memory of an input moves nothing.
void estimate_moved_forward(const Tensor& y, const std::vector<Tensor>& inputs);

/// Unless count_moved() was called in this span: a backward reads the gradient of its result and the inputs
/// whose gradients are wanted, and writes the gradients of those.
void estimate_moved_backward(const Node& node);

}}  // namespace regard::REGARD_PRECISION
