#include "nn/convolution/sliding_window.h"

#include "autograd/machine/error.h"

namespace regard {

Planes places(const Planes& planes, const SlidingWindow& window) {
  const auto [size, stride, padding] = window;
  if (size < 1 || stride < 1 || padding < 0 || padding >= size)
    fail(
        "a window of {} x {} pixels with stride {} and padding {}: size and stride must be at least 1, and "
        "the padding from 0 to below the size",
        size, size, stride, padding);
  Planes result;
  for (const Plane& plane : planes) {
    if (plane.height < 1 || plane.width < 1 || plane.height + 2 * padding < size ||
        plane.width + 2 * padding < size)
      fail("a window of {} x {} pixels does not fit into a plane of {} x {} pixels with a padding of {}",
           size, size, plane.height, plane.width, padding);
    result.push_back(
        {(plane.height + 2 * padding - size) / stride + 1, (plane.width + 2 * padding - size) / stride + 1});
  }
  return result;
}

}  // namespace regard
