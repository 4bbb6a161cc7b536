#include "autograd/kernels/ranges.h"

#include "autograd/kernels/range_pairs.h"
#include "autograd/kernels/squash.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

void range_dots(GradSlot pairs, Ranges ranges, const Real* x, const Real* key, Index width,
                Real scale) noexcept {
  for_each_pair(ranges, [=](Index i, Index pair, Index j) {
    pairs.put(pair, scale * row_dot(x + i * width, key + j * width, width));
  });
}

void range_sums(GradSlot x, Ranges ranges, const Real* pairs, const Real* key, Index width,
                Real scale) noexcept {
  if (!x.add) set_to_zero(x.data + ranges.begin * width, (ranges.end - ranges.begin) * width);
  for_each_pair(ranges, [=](Index i, Index pair, Index j) {
    const Real factor = scale * pairs[pair];
    for (Index c = 0; c < width; ++c) x.data[i * width + c] += factor * key[j * width + c];
  });
}

void range_spread(Real* key, Ranges ranges, const Real* pairs, const Real* x, Index width,
                  Real scale) noexcept {
  for_each_pair(ranges, [=](Index i, Index pair, Index j) {
    const Real factor = scale * pairs[pair];
    for (Index c = 0; c < width; ++c) key[j * width + c] += factor * x[i * width + c];
  });
}

void range_softmax_forward(Real* weights, Ranges ranges, const Real* scores) noexcept {
  for (Index i = ranges.begin; i < ranges.end; ++i) {
    const Index first = ranges.offsets[i], count = ranges.offsets[i + 1] - first;
    const Real sum =
        row_exponentials(weights + first, scores + first, count, 1, row_max(scores + first, count));
    for (Index j = first; j < first + count; ++j) weights[j] /= sum;
  }
}

void range_softmax_backward(GradSlot dscores, Ranges ranges, const Real* dweights,
                            const Real* weights) noexcept {
  for (Index i = ranges.begin; i < ranges.end; ++i) {
    const Index first = ranges.offsets[i], count = ranges.offsets[i + 1] - first;
    const Real mean = row_dot(dweights + first, weights + first, count);
    put_row(dscores, first, count,
            [=](Index j) { return weights[first + j] * (dweights[first + j] - mean); });
  }
}

void range_sigmoid_forward(Real* weights, Ranges ranges, const Real* scores) noexcept {
  for (Index i = ranges.begin; i < ranges.end; ++i) {
    const Index first = ranges.offsets[i], count = ranges.offsets[i + 1] - first;
    const Real log_count = static_cast<Real>(__builtin_log(static_cast<double>(count)));
#pragma omp simd
    for (Index j = first; j < first + count; ++j) weights[j] = sigmoid(scores[j] - log_count);
  }
}

void range_sigmoid_backward(GradSlot dscores, Ranges ranges, const Real* dweights,
                            const Real* weights) noexcept {
  const Index first = ranges.offsets[ranges.begin], count = ranges.offsets[ranges.end] - first;
  put_row(dscores, first, count,
          [=](Index j) { return dweights[first + j] * weights[first + j] * (1 - weights[first + j]); });
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
