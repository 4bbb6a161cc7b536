#include "transformer/captions/plane_positions.h"

#include <cstdint>
#include <vector>

#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

Tensor PlanePositionalEncoding::operator()(const Tensor& x, const Planes& planes) {
  std::vector<std::int32_t> rows, columns;
  for (const Plane& plane : planes)
    for (Index pixel = 0; pixel < plane.pixels(); ++pixel) {
      rows.push_back(static_cast<std::int32_t>(pixel / plane.width));
      columns.push_back(static_cast<std::int32_t>(pixel % plane.width));
    }
  return x + concat({rows_.encodings(rows), columns_.encodings(columns)}, 1);
}

}}}  // namespace regard::REGARD_PRECISION::nn
