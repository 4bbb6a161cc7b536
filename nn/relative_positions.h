#pragma once

#include "autograd/ops.h"
#include "nn/positions.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// score = q_t . (k_s + a_c) / sqrt(d_k), with a parameter a_c for each c = clip(s - t, -radius, radius), the
/// same for all heads (Shaw et al. 2018, eq. 4, on the keys only).
class RelativePositions : public Positions {
 public:
  RelativePositions(Index radius, Index d_k, Random& random)
      : keys_(parameter(xavier_uniform(2 * radius + 1, d_k, random))) {}

  // q_t . a_c for each head and each c (eq. 5, its second term); the attention picks the c of each key. The
  // heads of a query are rows of their own here, so one product computes all.
  void add_terms(AttentionOptions& options, const ColumnSlice& query) const override {
    const Tensor q = slice(query.matrix, 1, query.first, query.first + query.width);
    options.relative = linear(reshape(q, {q.size(0) * options.heads, keys_.size(1)}), keys_, {});
  }
  void visit(Visitor& visitor) override { visitor("relative_keys", keys_); }

 private:
  Tensor keys_;  ///< [2 radius + 1, d_k]
};

}}}  // namespace regard::REGARD_PRECISION::nn
