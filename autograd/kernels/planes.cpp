#include "autograd/kernels/planes.h"

#include "autograd/machine/error.h"

namespace regard {

std::vector<Index> offsets_of(const Planes& planes) {
  std::vector<Index> result{0};
  for (const auto& [height, width] : planes) {
    Index pixels = 0, end = 0;
    if (__builtin_mul_overflow(height, width, &pixels) || __builtin_add_overflow(result.back(), pixels, &end))
      fail("a plane of {} x {} pixels: the pixels of all planes must fit an index", height, width);
    result.push_back(end);
  }
  return result;
}

}  // namespace regard
