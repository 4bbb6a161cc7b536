#include "nn/initialisers.h"

#include <cmath>

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

Tensor xavier_uniform(Index out, Index in, Random& random) {
  const auto bound = static_cast<Real>(std::sqrt(6.0 / static_cast<double>(in + out)));
  return Tensor::uniform({out, in}, -bound, bound, random);
}

Tensor parameter(Tensor value) { return value.set_requires_grad(); }

}}}  // namespace regard::REGARD_PRECISION::nn
