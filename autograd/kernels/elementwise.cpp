#include "autograd/kernels/elementwise.h"

#include "autograd/kernels/squash.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace REGARD_SIMD_NAMESPACE {

void accumulate(GradSlot to, const Real* x, Index size) noexcept { accumulate_scaled(to, x, 1, size); }

void accumulate_scaled(GradSlot to, const Real* x, Real factor, Index size) noexcept {
  parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
    put_row(to, begin, end - begin, [=, from = x + begin](Index i) { return factor * from[i]; });
  });
}

void add_bias(Matrix y, const Real* bias, MatrixBlock block) noexcept {
  for (Index row = block.row; row < block.row + block.rows; ++row) {
    Real* const y_row = y.data + row * y.stride;
#pragma omp simd
    for (Index i = block.column; i < block.column + block.columns; ++i) y_row[i] += bias[i];
  }
}

void add_bias_relu(Matrix y, const Real* bias, MatrixBlock block, DropoutMask dropout) noexcept {
  const Index begin = block.column, end = block.column + block.columns;
  for (Index row = block.row; row < block.row + block.rows; ++row) {
    Real* const y_row = y.data + row * y.stride;
    for (Index i = begin; i < end; ++i) {
      const Real x = y_row[i] + bias[i];
      y_row[i] = x < 0 ? 0 : x;  // NaN stays NaN
    }
    if (dropout.probability > 0)
      for_each_dropout_factor(dropout, row, begin, end, [=](Index i, Real factor) { y_row[i] *= factor; });
  }
}

void relu_dropout_backward(Real* dy, const Real* y, Real keep_scale, Index size) noexcept {
  parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) {
      const Real scaled = dy[i] * keep_scale;  // not under the condition: then compilers vectorise the loop
      dy[i] = y[i] > 0 ? scaled : 0;
    }
  });
}

void column_sums(GradSlot sums, const Real* x, Index rows, Index columns) noexcept {
  parallel_for(columns, block_size(columns, rows, line_columns), [=](Index begin, Index end) {
    for (Index first = begin; first < end; first += columns_together) {
      Real total[columns_together] = {};
      const Index count = end - first < columns_together ? end - first : columns_together;
      for (Index row = 0; row < rows; ++row) {
        const Real* const x_row = x + row * columns + first;
        for (Index i = 0; i < count; ++i) total[i] += x_row[i];
      }
      put_row(sums, first, count, [&](Index i) { return total[i]; });
    }
  });
}

void dropout_forward(GradSlot y, const Real* x, Index rows, Index columns, DropoutMask dropout) noexcept {
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Real* const x_row = x + row * columns;
      Real* const y_row = y.data + row * columns;
      if (y.add)
        for_each_dropout_factor(dropout, row, 0, columns,
                                [=](Index i, Real factor) { y_row[i] += x_row[i] * factor; });
      else
        for_each_dropout_factor(dropout, row, 0, columns,
                                [=](Index i, Real factor) { y_row[i] = x_row[i] * factor; });
    }
  });
}

void gather_rows_forward(Real* y, const Real* x, const std::int32_t* indices, Index rows, Index columns,
                         Real scale) noexcept {
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Real* const x_row = x + indices[row] * columns;
      for (Index i = 0; i < columns; ++i) y[row * columns + i] = scale * x_row[i];
    }
  });
}

void gather_rows_backward(Real* dx, const Real* dy, const std::int32_t* indices, Index rows, Index columns,
                          Real scale) noexcept {
  // The same row may be gathered many times, so threads divide the columns.
  parallel_for(columns, block_size(columns, rows, line_columns), [=](Index begin, Index end) {
    for (Index row = 0; row < rows; ++row) {
      Real* const dx_row = dx + indices[row] * columns;
      const Real* const dy_row = dy + row * columns;
      for (Index i = begin; i < end; ++i) dx_row[i] += scale * dy_row[i];
    }
  });
}

namespace {

/// y = value(x)
template <class Value>
void map(Real* y, const Real* x, Index size, const Value& value) {
  parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) y[i] = value(x[i]);
  });
}

/// dx = slope(dy, saved), or dx += it
template <class Slope>
void map_backward(GradSlot dx, const Real* dy, const Real* saved, Index size, const Slope& slope) {
  parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
    put_row(dx, begin, end - begin, [=](Index i) { return slope(dy[begin + i], saved[begin + i]); });
  });
}

/// z += bias, y = dropout(value(z))
template <class Value>
void add_bias_map(Matrix y, Matrix z, const Real* bias, MatrixBlock block, DropoutMask dropout,
                  const Value& value) {
  const Index begin = block.column, end = block.column + block.columns;
  for (Index row = block.row; row < block.row + block.rows; ++row) {
    Real* const y_row = y.data + row * y.stride;
    Real* const z_row = z.data + row * z.stride;
#pragma omp simd
    for (Index i = begin; i < end; ++i) {
      const Real sum = z_row[i] + bias[i];
      z_row[i] = sum;
      y_row[i] = value(sum);
    }
    if (dropout.probability > 0)
      for_each_dropout_factor(dropout, row, begin, end, [=](Index i, Real factor) { y_row[i] *= factor; });
  }
}

/// dy = dy dropout slope(z)
template <class Slope>
void map_dropout_backward(Real* dy, const Real* z, Index rows, Index columns, DropoutMask dropout,
                          const Slope& slope) {
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      Real* const dy_row = dy + row * columns;
      const Real* const z_row = z + row * columns;
      if (dropout.probability > 0)
        for_each_dropout_factor(dropout, row, 0, columns, [=](Index i, Real factor) { dy_row[i] *= factor; });
#pragma omp simd
      for (Index i = 0; i < columns; ++i) dy_row[i] *= slope(z_row[i]);
    }
  });
}

// y = x Phi(x) and y = x s(x), and their derivatives.

constexpr auto gelu = [](Real x) { return x * normal_distribution(x).below; };
constexpr auto gelu_slope = [](Real x) {
  constexpr Real inverse_sqrt_2pi = static_cast<Real>(0.39894228040143268);
  const NormalDistribution normal = normal_distribution(x);
  return normal.below + x * inverse_sqrt_2pi * normal.bell;
};

constexpr auto silu = [](Real x) { return x * vanishing_sigmoid(x); };
constexpr auto silu_slope = [](Real x) {
  const Real s = vanishing_sigmoid(x);
  return s * (1 + x * (1 - s));
};

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

void gelu_forward(Real* y, const Real* x, Index size) noexcept { map(y, x, size, gelu); }

void gelu_backward(GradSlot dx, const Real* dy, const Real* x, Index size) noexcept {
  map_backward(dx, dy, x, size, [](Real gradient, Real v) { return gradient * gelu_slope(v); });
}

void silu_forward(Real* y, const Real* x, Index size) noexcept { map(y, x, size, silu); }

void silu_backward(GradSlot dx, const Real* dy, const Real* x, Index size) noexcept {
  map_backward(dx, dy, x, size, [](Real gradient, Real v) { return gradient * silu_slope(v); });
}

void add_bias_gelu(Matrix y, Matrix z, const Real* bias, MatrixBlock block, DropoutMask dropout) noexcept {
  add_bias_map(y, z, bias, block, dropout, gelu);
}

void gelu_dropout_backward(Real* dy, const Real* z, Index rows, Index columns, DropoutMask dropout) noexcept {
  map_dropout_backward(dy, z, rows, columns, dropout, gelu_slope);
}

void add_bias_silu(Matrix y, Matrix z, const Real* bias, MatrixBlock block, DropoutMask dropout) noexcept {
  add_bias_map(y, z, bias, block, dropout, silu);
}

void silu_dropout_backward(Real* dy, const Real* z, Index rows, Index columns, DropoutMask dropout) noexcept {
  map_dropout_backward(dy, z, rows, columns, dropout, silu_slope);
}

}}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
