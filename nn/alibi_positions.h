#pragma once

#include <cmath>
#include <vector>

#include "nn/positions.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// score = q_t . k_s / sqrt(d_k) - m_h |s - t| with the slope m_h = 2^(-8 h / heads) in head h = 1 .. heads
/// (Press et al. 2022, section 3, for a power of two; here for any number of heads).
class AlibiPositions : public Positions {
 public:
  explicit AlibiPositions(Index heads) {
    for (Index h = 1; h <= heads; ++h)
      slopes_.push_back(
          static_cast<Real>(std::exp2(-8 * static_cast<double>(h) / static_cast<double>(heads))));
  }
  void add_terms(AttentionOptions& options, const ColumnSlice& /*query*/) const override {
    options.slopes = slopes_;
  }

 private:
  std::vector<Real> slopes_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
