#include "autograd/kernels/activations.h"

#include "autograd/kernels/squash.h"
#include "autograd/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace REGARD_SIMD_NAMESPACE {

namespace {

/// y = value(x)
template <class Value>
void map(Real* y, const Real* x, Index size, const Value& value) {
  parallel_for(size, numbers_per_block, [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) y[i] = value(x[i]);
  });
}

/// dx = slope(dy, saved), or dx += it
template <class Slope>
void map_backward(GradSlot dx, const Real* dy, const Real* saved, Index size, const Slope& slope) {
  parallel_for(size, numbers_per_block, [=](Index begin, Index end) {
    put_row(dx, begin, end - begin, [=](Index i) { return slope(dy[begin + i], saved[begin + i]); });
  });
}

}  // namespace

void relu_forward(Real* y, const Real* x, Index size) noexcept {
  map(y, x, size, [](Real v) { return v < 0 ? 0 : v; });  // NaN stays NaN
}

void relu_backward(GradSlot dx, const Real* dy, const Real* y, Index size) noexcept {
  map_backward(dx, dy, y, size, [](Real gradient, Real value) { return value > 0 ? gradient : 0; });
}

void tanh_forward(Real* y, const Real* x, Index size) noexcept {
  map(y, x, size, [](Real v) { return hyperbolic_tangent(v); });
}

void tanh_backward(GradSlot dx, const Real* dy, const Real* y, Index size) noexcept {
  map_backward(dx, dy, y, size, [](Real gradient, Real value) { return gradient * (1 - value * value); });
}

void sigmoid_forward(Real* y, const Real* x, Index size) noexcept {
  map(y, x, size, [](Real v) { return sigmoid(v); });
}

void sigmoid_backward(GradSlot dx, const Real* dy, const Real* y, Index size) noexcept {
  map_backward(dx, dy, y, size, [](Real gradient, Real value) { return gradient * value * (1 - value); });
}

void gelu_forward(Real* y, const Real* x, Index size) noexcept {
  map(y, x, size, [](Real v) { return v * normal_distribution(v).below; });
}

void gelu_backward(GradSlot dx, const Real* dy, const Real* x, Index size) noexcept {
  constexpr Real inverse_sqrt_2pi = static_cast<Real>(0.39894228040143268);
  map_backward(dx, dy, x, size, [=](Real gradient, Real v) {
    const NormalDistribution normal = normal_distribution(v);
    return gradient * (normal.below + v * inverse_sqrt_2pi * normal.bell);
  });
}

}}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
