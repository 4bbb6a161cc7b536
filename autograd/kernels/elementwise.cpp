#include "autograd/kernels/elementwise.h"

#include "autograd/kernels/squash.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

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

// Each activation f: value(x) is f(x); gradient(dy, saved) is dy f'(x).

struct Relu {
  static Real value(Real x) { return x < 0 ? 0 : x; }                // NaN stays NaN
  static Real gradient(Real dy, Real y) { return y <= 0 ? 0 : dy; }  // NaN passes dy, as in PyTorch
};

struct Tanh {
  static Real value(Real x) { return hyperbolic_tangent(x); }
  static Real gradient(Real dy, Real y) { return dy * (1 - y * y); }
};

struct Sigmoid {
  static Real value(Real x) { return sigmoid(x); }
  static Real gradient(Real dy, Real y) { return dy * y * (1 - y); }
};

struct Gelu {
  static Real value(Real x) { return x * normal_distribution(x).below; }
  static Real gradient(Real dy, Real x) {
    constexpr Real inverse_sqrt_2pi = static_cast<Real>(0.39894228040143268);
    const NormalDistribution normal = normal_distribution(x);
    return dy * (normal.below + x * inverse_sqrt_2pi * normal.bell);
  }
};

struct Silu {
  static Real value(Real x) { return x * vanishing_sigmoid(x); }
  static Real gradient(Real dy, Real x) {
    const Real s = vanishing_sigmoid(x);
    return dy * (s * (1 + x * (1 - s)));
  }
};

/// Calls loop(f), so that a loop is compiled for each activation.
template <class Loop>
void with(Activation f, const Loop& loop) {
  switch (f) {
    case Activation::relu:
      return loop(Relu());
    case Activation::tanh:
      return loop(Tanh());
    case Activation::sigmoid:
      return loop(Sigmoid());
    case Activation::gelu:
      return loop(Gelu());
    case Activation::silu:
      return loop(Silu());
  }
}

}  // namespace

void activation_forward(Activation activation, Real* y, const Real* x, Index size) noexcept {
  with(activation, [=](auto f) {
    parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
#pragma omp simd
      for (Index i = begin; i < end; ++i) y[i] = f.value(x[i]);
    });
  });
}

void activation_backward(Activation activation, GradSlot dx, const Real* dy, const Real* saved,
                         Index size) noexcept {
  with(activation, [=](auto f) {
    parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
      put_row(dx, begin, end - begin, [=](Index i) { return f.gradient(dy[begin + i], saved[begin + i]); });
    });
  });
}

void add_bias_activation(Activation activation, Matrix y, Matrix z, const Real* bias, MatrixBlock block,
                         DropoutMask dropout) noexcept {
  const Index begin = block.column, end = block.column + block.columns;
  const bool keep_sum = !reads_output(activation);
  with(activation, [&](auto f) {
    for (Index row = block.row; row < block.row + block.rows; ++row) {
      Real* const y_row = y.data + row * y.stride;
      Real* const z_row = z.data + row * z.stride;
#pragma omp simd
      for (Index i = begin; i < end; ++i) {
        const Real sum = z_row[i] + bias[i];
        if (keep_sum) z_row[i] = sum;
        y_row[i] = f.value(sum);
      }
      if (dropout.probability > 0)
        for_each_dropout_factor(dropout, row, begin, end, [=](Index i, Real factor) { y_row[i] *= factor; });
    }
  });
}

void activation_dropout_backward(Activation activation, Real* dy, const Real* z, Index rows, Index columns,
                                 DropoutMask dropout) noexcept {
  with(activation, [=](auto f) {
    parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        Real* const dy_row = dy + row * columns;
        const Real* const z_row = z + row * columns;
        if (dropout.probability > 0)
          for_each_dropout_factor(dropout, row, 0, columns,
                                  [=](Index i, Real factor) { dy_row[i] *= factor; });
#pragma omp simd
        for (Index i = 0; i < columns; ++i) dy_row[i] = f.gradient(dy_row[i], z_row[i]);
      }
    });
  });
}

// After a dropout, NaN gets no gradient: it may be an infinite value that was dropped.
void relu_dropout_backward(Real* dy, const Real* y, Real keep_scale, Index size) noexcept {
  const bool no_dropout = keep_scale == 1;
#pragma omp simd
  for (Index i = 0; i < size; ++i)
    dy[i] = Relu::gradient(dy[i] * keep_scale, no_dropout || y[i] > 0 ? y[i] : 0);
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
