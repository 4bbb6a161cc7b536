#pragma once

#include <cmath>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/positions.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// PE(pos) = P[pos], with the rows of P[most, d_model] as parameters (Gehring et al. 2017, section 3.1).
class LearnedPositions : public Positions {
 public:
  LearnedPositions(Index most, Index d_model, Random& random)
      : weight_(parameter(Tensor::normal(
            {most, d_model}, 0, static_cast<Real>(1 / std::sqrt(static_cast<double>(d_model))), random))) {}

  Tensor encodings(std::span<const std::int32_t> positions) override {
    for (const std::int32_t position : positions)
      if (position >= weight_.size(0))
        fail("position {} of a sentence was not learnt: the model knows {} positions; shorten the sentence",
             position, weight_.size(0));
    return embedding(weight_, positions);
  }
  void visit(Visitor& visitor) override { visitor("weight", weight_); }

 private:
  Tensor weight_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
