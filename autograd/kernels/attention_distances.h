#pragma once

// Terms of a score that depend on the distance of key s and query t. Both are added to Q K^T before the
// scale.
//
//   relative positions:  score(t, s) = scale (q_t . k_s + r_t(clip(s - t, -radius, radius)))
//   ALiBi:               score(t, s) = scale q_t . k_s - slope |s - t|
//
// For attention_in_blocks.cpp only.

#include "autograd/kernels/attention_block.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace {

Index clip(Index x, Index low, Index high) { return x < low ? low : (x > high ? high : x); }

/// Calls use(key, clipped distance of the key from a query of the block) for each key.
template <class Use>
void for_each_distance(const AttentionArguments& problem, const Block& block, Index query, const Use& use) {
  const Index position = block.position(query), radius = problem.radius;
  const Index near = clip(position - radius, 0, block.keys), far = clip(position + radius, near, block.keys);
  for (Index key = 0; key < near; ++key) use(key, -radius);
  for (Index key = near; key < far; ++key) use(key, key - position);
  for (Index key = far; key < block.keys; ++key) use(key, radius);
}

/// Adds the relative scores of all queries. Score (key, query) is element key * stride + query.
void add_relative(Real* scores, Index stride, const AttentionArguments& problem, const Block& block) {
  const Index centre = block.head * (2 * problem.radius + 1) + problem.radius;
  for (Index query = 0; query < block.queries; ++query) {
    const Real* const r = from(problem.relative, block.first + query, centre).data;
    Real* const column = scores + query;
    for_each_distance(problem, block, query,
                      [=](Index key, Index distance) { column[key * stride] += r[distance]; });
  }
}

/// dr_t(c) = sum of dS(t, s) over the keys s at the clipped distance c.
void add_relative_backward(GradSlot drelative, const Real* dscores, const AttentionArguments& problem,
                           const Block& block) {
  const Index width = 2 * problem.radius + 1;
  for (Index query = 0; query < block.queries; ++query) {
    Real* const first =
        gradient_from(drelative, problem.relative.stride, block.first + query, block.head * width).data;
    if (!drelative.add)
      for (Index i = 0; i < width; ++i) first[i] = 0;
    Real* const dr = first + problem.radius;
    const Real* const column = dscores + query;
    for_each_distance(problem, block, query, [=, stride = block.width](Index key, Index distance) {
      dr[distance] += column[key * stride];
    });
  }
}

/// Lowers the scores by slope |s - t| / scale, which becomes slope |s - t| with the scale.
void add_slopes(Real* scores, Index stride, const AttentionArguments& problem, const Block& block) {
  const Real slope = problem.slopes[block.head] / problem.scale;
  const auto first = static_cast<std::int32_t>(block.position(0)),
             queries = static_cast<std::int32_t>(block.queries);
  for (std::int32_t key = 0; key < static_cast<std::int32_t>(block.keys); ++key) {
    Real* const row = scores + key * stride;
#pragma omp simd
    for (std::int32_t query = 0; query < queries; ++query) {
      const std::int32_t distance = key - first - query;
      row[query] -= slope * static_cast<Real>(distance < 0 ? -distance : distance);
    }
  }
}

/// Adds the terms that the problem has.
void add_distances(Real* scores, Index stride, const AttentionArguments& problem, const Block& block) {
  if (problem.relative.data != nullptr) add_relative(scores, stride, problem, block);
  if (problem.slopes != nullptr) add_slopes(scores, stride, problem, block);
}

}}}}  // namespace regard::REGARD_PRECISION::kernels
