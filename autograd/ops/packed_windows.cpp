#include "autograd/ops/packed_windows.h"

namespace regard { inline namespace REGARD_PRECISION {

PackedWindows::PackedWindows(const Operation& op, const Tensor& x, const Planes& planes,
                             const SlidingWindow& window)
    : first_pixel(offsets_of(planes)),
      first_place(offsets_of(regard::places(planes, window))),
      planes_(planes),
      places_(regard::places(planes, window)),
      window_(window),
      channels_(x.rank() == 2 ? x.size(1) : 0) {
  if (x.rank() != 2 || x.size(0) != first_pixel.back())
    op.fail("x of shape {} does not fit {} planes of {} pixels together: expected [{}, channels]",
            to_string(x.shape()), planes.size(), first_pixel.back(), first_pixel.back());
}

kernels::Windows PackedWindows::on(Index plane) const {
  const Plane& image = planes_[to_size(plane)];
  return {image.height,
          image.width,
          channels_,
          window_.size,
          window_.stride,
          window_.padding,
          places_[to_size(plane)].width};
}

}}  // namespace regard::REGARD_PRECISION
