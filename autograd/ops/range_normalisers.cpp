// Scores of pairs become weights: softmax, sparsemax, relu and sigmoid.
#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/graph.h"
#include "autograd/kernels/ranges.h"
#include "autograd/ops/range_loops.h"
#include "autograd/ops/ranges.h"

namespace regard { inline namespace REGARD_PRECISION {

using kernels::Ranges;

namespace {

/// Throws Error unless there is a score for each pair, and NotFinite for NaN. Comparisons with NaN are false,
/// so some of the functions below would give it a weight.
void check_scores(const Operation& op, const Tensor& scores, const KeyRanges& ranges) {
  check_pairs(op, "scores", scores, ranges);
  bool has_nan = false;
  for (const Real score : scores.values()) has_nan |= std::isnan(score);
  if (has_nan) throw NotFinite(fmt::format("{}: a score is NaN", op.name()));
}

/// Calls use(first pair, pair after the last) for each query.
template <class Use>
void for_each_query(const Ranges& ranges, const Use& use) {
  for (Index i = ranges.begin; i < ranges.end; ++i) use(ranges.offsets[i], ranges.offsets[i + 1]);
}

/// The threshold tau for which sum_j max(0, z_j - tau) = 1: tau = (sum of the support - 1) / (its size),
/// where the support is all z_j above tau (Martins and Astudillo 2016, eq. 4). Each round leaves out the
/// scores that are not above the tau of the scores so far, until none is left out (Michelot 1986), so nothing
/// has to be sorted. Rounding may bring a score back; the rounds end then, too. z_j = scores_j - largest, so
/// that the 1 is not lost beside large scores.
Real sparsemax_threshold(const Real* scores, Index n, Real largest) {
  Real threshold = -std::numeric_limits<Real>::infinity();
  for (Index size = n + 1;;) {
    Real sum = 0;
    Index support = 0;
    for (Index j = 0; j < n; ++j)
      if (const Real z = scores[j] - largest; z > threshold) {
        sum += z;
        ++support;
      }
    if (support >= size) return threshold;
    size = support;
    threshold = (sum - 1) / static_cast<Real>(support);
  }
}

void sparsemax_forward(Real* weights, const Ranges& ranges, const Real* scores) {
  for_each_query(ranges, [=](Index first, Index end) {
    const Real largest = first < end ? *std::max_element(scores + first, scores + end) : 0;
    const Real threshold = sparsemax_threshold(scores + first, end - first, largest);
    for (Index j = first; j < end; ++j) weights[j] = std::max(scores[j] - largest - threshold, Real{0});
  });
}

/// Within the support dscores = dweights - mean of dweights over the support; outside 0.
void sparsemax_backward(GradSlot dscores, const Ranges& ranges, const Real* dweights, const Real* weights,
                        const Real* /*scores*/) {
  for_each_query(ranges, [=](Index first, Index end) {
    Real sum = 0, support = 0;
    for (Index j = first; j < end; ++j)
      if (weights[j] > 0) {
        sum += dweights[j];
        support += 1;
      }
    for (Index j = first; j < end; ++j)
      dscores.put(j, weights[j] > 0 ? dweights[j] - sum / support : Real{0});
  });
}

Real sum_above_zero(const Real* scores, Index first, Index end) {
  Real sum = 0;
  for (Index j = first; j < end; ++j) sum += std::max(scores[j], Real{0});
  return sum;
}

void relu_forward(Real* weights, const Ranges& ranges, const Real* scores) {
  for_each_query(ranges, [=](Index first, Index end) {
    const Real sum = sum_above_zero(scores, first, end);
    for (Index j = first; j < end; ++j)
      weights[j] = sum > 0 ? std::max(scores[j], Real{0}) / sum : 1 / static_cast<Real>(end - first);
  });
}

/// dscores_j = (dweights_j - sum_k dweights_k weights_k) / sum where score_j > 0, else 0
void relu_backward(GradSlot dscores, const Ranges& ranges, const Real* dweights, const Real* weights,
                   const Real* scores) {
  for_each_query(ranges, [=](Index first, Index end) {
    const Real sum = sum_above_zero(scores, first, end);
    Real mean = 0;
    for (Index j = first; j < end; ++j) mean += dweights[j] * weights[j];
    for (Index j = first; j < end; ++j) dscores.put(j, scores[j] > 0 ? (dweights[j] - mean) / sum : Real{0});
  });
}

/// A normaliser: the name of the operation, and its forward and backward for some queries.
struct NormaliserFunctions {
  const char* name;
  void (*forward)(Real* weights, const Ranges& ranges, const Real* scores);
  void (*backward)(GradSlot dscores, const Ranges& ranges, const Real* dweights, const Real* weights,
                   const Real* scores);
};

const NormaliserFunctions& functions_of(Normaliser normaliser) {
  static const NormaliserFunctions functions[]{
      {"range_softmax",
       [](Real* w, const Ranges& r, const Real* s) { kernels::range_softmax_forward(w, r, s); },
       [](GradSlot ds, const Ranges& r, const Real* dw, const Real* w, const Real*) {
         kernels::range_softmax_backward(ds, r, dw, w);
       }},
      {"range_sparsemax", sparsemax_forward, sparsemax_backward},
      {"range_relu", relu_forward, relu_backward},
      {"range_sigmoid",
       [](Real* w, const Ranges& r, const Real* s) { kernels::range_sigmoid_forward(w, r, s); },
       [](GradSlot ds, const Ranges& r, const Real* dw, const Real* w, const Real*) {
         kernels::range_sigmoid_backward(ds, r, dw, w);
       }}};
  return functions[static_cast<std::size_t>(normaliser)];
}

}  // namespace

Tensor normalise(const Tensor& scores, const KeyRanges& ranges, Normaliser normaliser) {
  const NormaliserFunctions& function = functions_of(normaliser);
  const Operation op(function.name);
  check_scores(op, scores, ranges);
  constexpr Index work = 8;  // of a pair, in additions
  const Tensor weights = Tensor::empty(scores.shape());
  for_each_group(ranges, work,
                 [&](const Ranges& part) { function.forward(weights.data(), part, scores.data()); });

  // Only the backward of relu reads scores. The others need not keep them, and get the weights in that place.
  const Tensor kept = normaliser == Normaliser::relu ? scores.detach() : weights.detach();
  return op.record(weights, {scores}, [=, &function, weights = weights.detach()](BackwardContext& context) {
    const GradSlot slot = context.input_grad(0);
    for_each_group(ranges, work, [&](const Ranges& part) {
      function.backward(slot, part, context.output_grad(), weights.data(), kept.data());
    });
  });
}

}}  // namespace regard::REGARD_PRECISION
