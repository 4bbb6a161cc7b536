#include "autograd/kernels/softmax.h"

#include "autograd/kernels/rows.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {
/// log sum_j e^(x_j), shifted by the largest x so that nothing overflows.
Real log_sum_exp(const Real* x, Index columns, Real largest) {
  Real sum = 0;
#pragma omp simd reduction(+ : sum)
  for (Index i = 0; i < columns; ++i) sum += exponential(x[i] - largest);
  return largest + static_cast<Real>(__builtin_log(static_cast<double>(sum)));
}
}  // namespace

// y_i = e^(x_i - max) / sum_j e^(x_j - max)
void softmax_forward(Real* y, const Real* x, Index rows, Index columns) noexcept {
  if (columns == 0) return;
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Real* const x_row = x + row * columns;
      Real* const y_row = y + row * columns;
      const Real sum = row_exponentials(y_row, x_row, columns, 1, row_max(x_row, columns));
      const Real scale = 1 / sum;
      for (Index i = 0; i < columns; ++i) y_row[i] *= scale;
    }
  });
}

// dx = y (dy - sum(dy y))
void softmax_backward(GradSlot dx, const Real* dy, const Real* y, Index rows, Index columns) noexcept {
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Real* const y_row = y + row * columns;
      const Real* const dy_row = dy + row * columns;
      const Real mean = row_dot(dy_row, y_row, columns);
      put_row(dx, row * columns, columns, [=](Index i) { return y_row[i] * (dy_row[i] - mean); });
    }
  });
}

// y = x - log sum_j e^(x_j)
void log_softmax_forward(Real* y, const Real* x, Index rows, Index columns) noexcept {
  if (columns == 0) return;
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Real* const x_row = x + row * columns;
      const Real normaliser = log_sum_exp(x_row, columns, row_max(x_row, columns));
      for (Index i = 0; i < columns; ++i) y[row * columns + i] = x_row[i] - normaliser;
    }
  });
}

// dx = dy - e^y sum(dy)
void log_softmax_backward(GradSlot dx, const Real* dy, const Real* y, Index rows, Index columns) noexcept {
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Real* const y_row = y + row * columns;
      const Real* const dy_row = dy + row * columns;
      const Real total = row_sum(dy_row, columns);
      put_row(dx, row * columns, columns, [=](Index i) { return dy_row[i] - exponential(y_row[i]) * total; });
    }
  });
}

namespace {
/// The maximum of this many columns is compared first. Only if that maximum is among the largest so far, each
/// of these columns is compared.
constexpr Index columns_at_a_time = 64;

/// Inserts x of `column` into the sorted list of the largest, and moves the smaller ones down.
void insert(Real* values, std::int32_t* positions, Index count, Real x, Index column) {
  Index place = count - 1;
  for (; place > 0 && values[place - 1] < x; --place) {
    values[place] = values[place - 1];
    positions[place] = positions[place - 1];
  }
  values[place] = x;
  positions[place] = static_cast<std::int32_t>(column);
}
}  // namespace

void largest_of_rows(Largest largest, const Real* x, Index rows, Index columns) noexcept {
  const Index count = largest.count;
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Real* const x_row = x + row * columns;
      Real* const values = largest.values + row * count;
      std::int32_t* const positions = largest.positions + row * count;
      for (Index i = 0; i < count; ++i) insert(values, positions, i + 1, x_row[i], i);
      for (Index first = count; first < columns; first += columns_at_a_time) {
        const Index last = columns - first < columns_at_a_time ? columns : first + columns_at_a_time;
        if (!(row_max(x_row + first, last - first) > values[count - 1])) continue;
        for (Index i = first; i < last; ++i)
          if (x_row[i] > values[count - 1]) insert(values, positions, count, x_row[i], i);
      }
      largest.log_sum_exp[row] = log_sum_exp(x_row, columns, values[0]);
    }
  });
}

void cross_entropy_rows(Real* losses, Real* logits, Index rows, Index columns,
                        CrossEntropy settings) noexcept {
  const Real smoothing = settings.label_smoothing, uniform = smoothing / static_cast<Real>(columns);
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      Real* const x = logits + row * columns;
      const std::int32_t target = settings.targets[row];
      // -sum_i q_i log p_i, where log p_i = x_i - normaliser and the q_i sum to 1.
      const Real target_logit = x[target];
      Real mean_logit = (1 - smoothing) * target_logit;
      if (smoothing > 0) mean_logit += uniform * row_sum(x, columns);
      const Real largest = row_max(x, columns), sum = row_exponentials(x, x, columns, 1, largest);
      const Real normaliser = largest + static_cast<Real>(__builtin_log(static_cast<double>(sum)));
      losses[row] = settings.weight * (normaliser - mean_logit);
      if (settings.log_probabilities != nullptr) settings.log_probabilities[row] = target_logit - normaliser;
      if (!settings.gradient) continue;
      // d/dx_i = p_i - q_i
      const Real scale = settings.weight / sum, shift = settings.weight * uniform;
#pragma omp simd
      for (Index i = 0; i < columns; ++i) x[i] = scale * x[i] - shift;
      x[target] -= settings.weight * (1 - smoothing);
    }
  });
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
