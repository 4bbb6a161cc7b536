#include "autograd/kernels/elementwise.h"

#include "autograd/kernels/rows.h"
#include "autograd/parallel.h"

namespace regard::inline REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE {

void accumulate(GradSlot to, const Real* x, std::int64_t size) noexcept { accumulate_scaled(to, x, 1, size); }

void accumulate_scaled(GradSlot to, const Real* x, Real factor, std::int64_t size) noexcept {
  parallel_for(size, numbers_per_block, [=](std::int64_t begin, std::int64_t end) {
    if (to.add)
      for (std::int64_t i = begin; i < end; ++i) to.data[i] += factor * x[i];
    else
      for (std::int64_t i = begin; i < end; ++i) to.data[i] = factor * x[i];
  });
}

void add_bias(Real* y, std::int64_t stride, const Real* bias, std::int64_t rows,
              std::int64_t columns) noexcept {
  for (std::int64_t row = 0; row < rows; ++row) {
    Real* const y_row = y + row * stride;
#pragma omp simd
    for (std::int64_t i = 0; i < columns; ++i) y_row[i] += bias[i];
  }
}

void add_bias_relu(Real* y, std::int64_t stride, const Real* bias, std::int64_t first_row, std::int64_t rows,
                   std::int64_t columns, Dropout dropout) noexcept {
  for (std::int64_t row = 0; row < rows; ++row) {
    Real* const y_row = y + row * stride;
    for (std::int64_t i = 0; i < columns; ++i) {
      const Real x = y_row[i] + bias[i];
      y_row[i] = x < 0 ? 0 : x;  // what is no number stays none
    }
    if (dropout.probability > 0)
      for_each_dropout_factor(dropout, static_cast<std::uint64_t>(first_row + row), columns,
                              [=](std::int64_t i, Real factor) { y_row[i] *= factor; });
  }
}

void relu_dropout_backward(Real* dy, const Real* y, Real keep_scale, std::int64_t size) noexcept {
  parallel_for(size, numbers_per_block, [=](std::int64_t begin, std::int64_t end) {
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) {
      const Real scaled = dy[i] * keep_scale;  // unconditionally, or the loop would not be vectorised
      dy[i] = y[i] > 0 ? scaled : 0;
    }
  });
}

void column_sums(GradSlot sums, const Real* x, std::int64_t rows, std::int64_t columns) noexcept {
  constexpr std::int64_t width = 64;  // a sum is never split: each block owns its columns and sees all rows
  parallel_for(columns, width, [=](std::int64_t begin, std::int64_t end) {
    Real total[width] = {};
    for (std::int64_t row = 0; row < rows; ++row) {
      const Real* const x_row = x + row * columns;
      for (std::int64_t i = begin; i < end; ++i) total[i - begin] += x_row[i];
    }
    for (std::int64_t i = begin; i < end; ++i)
      sums.data[i] = total[i - begin] + (sums.add ? sums.data[i] : 0);
  });
}

void dropout_forward(GradSlot y, const Real* x, std::int64_t rows, std::int64_t columns,
                     Dropout dropout) noexcept {
  parallel_for(rows, rows_per_block(columns), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const Real* const x_row = x + row * columns;
      Real* const y_row = y.data + row * columns;
      if (y.add)
        for_each_dropout_factor(dropout, static_cast<std::uint64_t>(row), columns,
                                [=](std::int64_t i, Real factor) { y_row[i] += x_row[i] * factor; });
      else
        for_each_dropout_factor(dropout, static_cast<std::uint64_t>(row), columns,
                                [=](std::int64_t i, Real factor) { y_row[i] = x_row[i] * factor; });
    }
  });
}

void gather_rows_forward(Real* y, const Real* x, const std::int32_t* indices, std::int64_t rows,
                         std::int64_t columns, Real scale) noexcept {
  parallel_for(rows, rows_per_block(columns), [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const Real* const x_row = x + indices[row] * columns;
      for (std::int64_t i = 0; i < columns; ++i) y[row * columns + i] = scale * x_row[i];
    }
  });
}

void gather_rows_backward(Real* dx, const Real* dy, const std::int32_t* indices, std::int64_t rows,
                          std::int64_t columns, Real scale) noexcept {
  // The same row may be gathered many times, so threads divide the columns.
  parallel_for(columns, 64, [=](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = 0; row < rows; ++row) {
      Real* const dx_row = dx + indices[row] * columns;
      const Real* const dy_row = dy + row * columns;
      for (std::int64_t i = begin; i < end; ++i) dx_row[i] += scale * dy_row[i];
    }
  });
}

}  // namespace regard::inline REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
