#include "autograd/kernels/ranges.h"

#include "autograd/kernels/squash.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {

/// Calls use(query, pair, key row) for every pair.
template <class Use>
void for_each_pair(const Ranges& ranges, const Use& use) {
  for (Index i = ranges.begin; i < ranges.end; ++i)
    for (Index pair = ranges.offsets[i]; pair < ranges.offsets[i + 1]; ++pair)
      use(i, pair, ranges.first[i] + pair - ranges.offsets[i]);
}

void set_to_zero(Real* x, Index n) {
  for (Index i = 0; i < n; ++i) x[i] = 0;
}

}  // namespace

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

void range_additive_forward(Real* scores, Ranges ranges, const Real* query, const Real* key, const Real* v,
                            Index width) noexcept {
  for_each_pair(ranges, [=](Index i, Index pair, Index j) {
    const Real *const q = query + i * width, *const k = key + j * width;
    Real score = 0;
#pragma omp simd reduction(+ : score)
    for (Index c = 0; c < width; ++c) score += v[c] * hyperbolic_tangent(q[c] + k[c]);
    scores[pair] = score;
  });
}

void range_additive_backward(Real* dquery, Real* dkey, Real* dv, Ranges ranges, const Real* dscores,
                             const Real* query, const Real* key, const Real* v, Index width) noexcept {
  set_to_zero(dquery + ranges.begin * width, (ranges.end - ranges.begin) * width);
  set_to_zero(dv + ranges.begin * width, (ranges.end - ranges.begin) * width);
  for_each_pair(ranges, [=](Index i, Index pair, Index j) {
    const Real *const q = query + i * width, *const k = key + j * width;
    Real *const dq = dquery + i * width, *const dk = dkey + j * width, *const dv_i = dv + i * width;
    const Real g = dscores[pair];
#pragma omp simd
    for (Index c = 0; c < width; ++c) {
      const Real t = hyperbolic_tangent(q[c] + k[c]);
      const Real dpre = g * v[c] * (1 - t * t);
      dq[c] += dpre;
      dk[c] += dpre;
      dv_i[c] += g * t;
    }
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
