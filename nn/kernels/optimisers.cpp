#include "nn/kernels/optimisers.h"

#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {

/// While one exists, numbers too small to be normal count as 0 on this thread. The moments of rows that get
/// no gradient (rare words) decay into that range, where processors calculate some thirty times more slowly.
class FlushSubnormals {
 public:
#if defined(__x86_64__)
  FlushSubnormals() : saved_(__builtin_ia32_stmxcsr()) {
    constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x0040;
    __builtin_ia32_ldmxcsr(saved_ | flush_to_zero | denormals_are_zero);
  }
  ~FlushSubnormals() { __builtin_ia32_ldmxcsr(saved_); }

 private:
  unsigned saved_;
#else
  FlushSubnormals() {}
  ~FlushSubnormals() {}
#endif
};

}  // namespace

// Kingma and Ba 2015, algorithm 1:
// m = beta1 m + (1 - beta1) g,  v = beta2 v + (1 - beta2) g^2,
// x = kept x - learning_rate m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + epsilon)
void adam_step(Real* values, Real* gradients, Real* first_moments, Real* second_moments, Index size,
               AdamStep step) noexcept {
  parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
    const FlushSubnormals flush;
#pragma omp simd
    for (Index i = begin; i < end; ++i) {
      const Real g = step.gradient_scale * gradients[i];
      const Real m = step.beta1 * first_moments[i] + (1 - step.beta1) * g;
      const Real v = step.beta2 * second_moments[i] + (1 - step.beta2) * g * g;
      first_moments[i] = m;
      second_moments[i] = v;
      const Real root = sizeof(Real) == sizeof(float)
                            ? static_cast<Real>(__builtin_sqrtf(static_cast<float>(v)))
                            : static_cast<Real>(__builtin_sqrt(static_cast<double>(v)));
      values[i] =
          step.kept * values[i] - step.step_size * m / (root * step.inverse_correction2 + step.epsilon);
      gradients[i] = 0;
    }
  });
}

// v = momentum v + g,  x -= learning_rate v
void sgd_step(Real* values, Real* gradients, Real* velocities, Index size, Real learning_rate, Real momentum,
              Real gradient_scale) noexcept {
  parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
    const FlushSubnormals flush;
#pragma omp simd
    for (Index i = begin; i < end; ++i) {
      velocities[i] = momentum * velocities[i] + gradient_scale * gradients[i];
      values[i] -= learning_rate * velocities[i];
      gradients[i] = 0;
    }
  });
}

void moving_average_step(Real* average, const Real* values, Index size, Real decay) noexcept {
  parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) average[i] += (1 - decay) * (values[i] - average[i]);
  });
}

void sums_of_squares(double* squares, const Real* x, Index size) noexcept {
  const Index block = block_size(size, 1);
  parallel_for(size, block, [=](Index begin, Index end) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (Index i = begin; i < end; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    squares[begin / block] = sum;
  });
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
