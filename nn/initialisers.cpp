#include "nn/initialisers.h"

#include <cmath>

namespace regard::inline REGARD_PRECISION::nn {

Tensor xavier_uniform(std::int64_t out, std::int64_t in, Random& random) {
  const auto bound = static_cast<Real>(std::sqrt(6.0 / static_cast<double>(in + out)));
  return Tensor::uniform({out, in}, -bound, bound, random);
}

Tensor parameter(Tensor value) { return value.set_requires_grad(); }

}  // namespace regard::inline REGARD_PRECISION::nn
