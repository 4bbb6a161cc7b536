#pragma once

#include <algorithm>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/sinusoidal_positions.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// In each head, the pair of columns 2i, 2i + 1 of a query or key at position m turns by the angle m theta_i,
/// theta_i = base^(-2i/d_k) (Su et al. 2021, eq. 34, whose d is d_k). These are the angles of the sinusoids.
class RotaryPositions : public Positions {
 public:
  /// Throws Error unless d_k is even.
  RotaryPositions(Index d_k, double base) : angles_(d_k, base) {
    if (d_k % 2 != 0)
      fail("rotary positions turn pairs of columns, but a head has {} (d_model / heads); it must be even",
           d_k);
  }

  Tensor turned(const Tensor& x, Index columns, const Segments& segments) override {
    std::vector<std::int32_t> positions(to_size(x.size(0)), 0);
    for (const Segment& s : segments)
      for (Index row = s.query_begin; row < s.query_end; ++row)
        positions[to_size(row)] = static_cast<std::int32_t>(s.key_end - s.key_begin - (s.query_end - row));
    const Index last = positions.empty() ? 0 : *std::max_element(positions.begin(), positions.end());
    return rotary(x, columns, angles_.table(last), positions);
  }

 private:
  SinusoidalPositions angles_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
