#include "autograd/kernels/layer_norm.h"

#include "autograd/kernels/rows.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {
/// sum = x + dropout(sublayer)
void add_row(Real* sum, const Real* x, const Real* sublayer, Index row, Index columns, DropoutMask dropout) {
  if (dropout.probability == 0) {
    for (Index i = 0; i < columns; ++i) sum[i] = x[i] + sublayer[i];
  } else {
    for_each_dropout_factor(dropout, row, 0, columns,
                            [=](Index i, Real factor) { sum[i] = x[i] + factor * sublayer[i]; });
  }
}

/// The variance of numbers whose squares overflow, as those of 1e20 in float.
long double large_variance(const Real* x, Real mean, Index columns) {
  long double sum = 0;
  for (Index i = 0; i < columns; ++i) sum += static_cast<long double>(x[i] - mean) * (x[i] - mean);
  return sum / static_cast<long double>(columns);
}

struct GradientMeans {
  Real g, g_xhat;
};

/// Means over a row of g = dy w and of g x_hat. A function of its own, because otherwise compilers do not
/// vectorise the loop.
GradientMeans gradient_means(const Real* dy, const Real* weight, const Real* values, Real mean, Real inverse,
                             Index columns) {
  Real g_sum = 0, g_xhat_sum = 0;
#pragma omp simd reduction(+ : g_sum, g_xhat_sum)
  for (Index i = 0; i < columns; ++i) {
    const Real g = dy[i] * weight[i];
    g_sum += g;
    g_xhat_sum += g * ((values[i] - mean) * inverse);
  }
  return {g_sum / static_cast<Real>(columns), g_xhat_sum / static_cast<Real>(columns)};
}

}  // namespace

// With s = x, or x + dropout(sublayer):  y = weight (s - mean) / sqrt(variance + epsilon) + bias. mean and
// variance are those of the row of s.
void layer_norm_forward(Real* y, Real* sum, Real* statistics, const Real* x, const Real* sublayer,
                        const Real* weight, const Real* bias, Index rows, Index columns, Real epsilon,
                        DropoutMask dropout) noexcept {
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index first = row * columns;
      if (sublayer != nullptr) add_row(sum + first, x + first, sublayer + first, row, columns, dropout);
      const Real* const values = sublayer != nullptr ? sum + first : x + first;
      const Real mean = row_sum(values, columns) / static_cast<Real>(columns);
      Real variance = 0;
#pragma omp simd reduction(+ : variance)
      for (Index i = 0; i < columns; ++i) variance += (values[i] - mean) * (values[i] - mean);
      variance /= static_cast<Real>(columns);
      const Real inverse =
          __builtin_isinf(variance)
              ? static_cast<Real>(1 / __builtin_sqrtl(large_variance(values, mean, columns)))
              : 1 / static_cast<Real>(__builtin_sqrt(static_cast<double>(variance + epsilon)));
      Real* const y_row = y + first;
      for (Index i = 0; i < columns; ++i) y_row[i] = (values[i] - mean) * inverse * weight[i] + bias[i];
      statistics[row] = mean;
      statistics[rows + row] = inverse;
    }
  });
}

// With d = sqrt(variance + epsilon), x_hat_i = (s_i - mean) / d and g_i = dL/dx_hat_i = dy_i weight_i, for a
// row of n numbers, and [i = j], which is 1 if i is j and 0 otherwise:
//   dmean/ds_j = 1/n        dd/ds_j = (dvariance/ds_j) / (2 d) = (2 (s_j - mean) / n) / (2 d) = x_hat_j / n
//   dx_hat_i/ds_j = ([i = j] - dmean/ds_j) / d - ((s_i - mean) / d^2) dd/ds_j
//                 = ([i = j] - 1/n - x_hat_i x_hat_j / n) / d
//   ds_j = sum_i g_i dx_hat_i/ds_j = (g_j - mean(g) - x_hat_j mean(g x_hat)) / d
// Without dropout and tiles, the loop would only be: ds_j = (dy_j weight_j - mean(g) - x_hat_j mean(g x_hat))
// / d. A tile of ds serves x and, under dropout, the sublayer. A loop over the row for each of the two would
// compute ds twice; where gradients add, it made forward and backward together 6 % slower.
void layer_norm_backward(GradSlot dx, GradSlot dsublayer, const Real* dy, const Real* sum,
                         const Real* statistics, const Real* weight, Index rows, Index columns,
                         DropoutMask dropout) noexcept {
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index first = row * columns;
      const Real* const values = sum + first;
      const Real* const dy_row = dy + first;
      const Real mean = statistics[row], inverse = statistics[rows + row];
      const GradientMeans means = gradient_means(dy_row, weight, values, mean, inverse, columns);
      for (Index tile = 0; tile < columns; tile += dropout_tile) {
        const Index count = columns - tile < dropout_tile ? columns - tile : dropout_tile;
        Real dsum[dropout_tile];
#pragma omp simd
        for (Index i = 0; i < count; ++i) {
          const Real xhat = (values[tile + i] - mean) * inverse;
          dsum[i] = (dy_row[tile + i] * weight[tile + i] - means.g - xhat * means.g_xhat) * inverse;
        }
        if (dx) put_row(dx, first + tile, count, [&](Index i) { return dsum[i]; });
        if (!dsublayer) continue;
        if (dropout.probability > 0)
          for_each_dropout_factor(dropout, row, tile, tile + count,
                                  [&](Index i, Real factor) { dsum[i - tile] *= factor; });
        put_row(dsublayer, first + tile, count, [&](Index i) { return dsum[i]; });
      }
    }
  });
}

// dweight = sum over rows of dy x_hat,  dbias = sum over rows of dy
void layer_norm_parameters_backward(GradSlot dweight, GradSlot dbias, const Real* dy, const Real* sum,
                                    const Real* statistics, Index rows, Index columns) noexcept {
  parallel_for(columns, block_size(columns, 2 * rows, line_columns), [=](Index begin, Index end) {
    for (Index first = begin; first < end; first += columns_together) {
      Real dweight_sum[columns_together] = {}, dbias_sum[columns_together] = {};
      const Index count = end - first < columns_together ? end - first : columns_together;
      for (Index row = 0; row < rows; ++row) {
        const Real* const dy_row = dy + row * columns + first;
        const Real* const values = sum + row * columns + first;
        const Real mean = statistics[row], inverse = statistics[rows + row];
#pragma omp simd
        for (Index i = 0; i < count; ++i) {
          dweight_sum[i] += dy_row[i] * ((values[i] - mean) * inverse);
          dbias_sum[i] += dy_row[i];
        }
      }
      if (dweight) put_row(dweight, first, count, [&](Index i) { return dweight_sum[i]; });
      if (dbias) put_row(dbias, first, count, [&](Index i) { return dbias_sum[i]; });
    }
  });
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
