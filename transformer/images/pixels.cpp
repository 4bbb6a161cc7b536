#include "transformer/images/pixels.h"

#include "autograd/error.h"
#include "autograd/parallel.h"
#include "transformer/images/image.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Pixels read_pixels(const Source& source, Index multiple, const std::string& reason) {
  Planes planes;
  for (Index i = 0; i < source.sentences(); ++i) {
    const Plane plane = plane_of(
        std::span(source.ids).subspan(to_size(source.offsets[to_size(i)]), to_size(source.length(i))));
    if (plane.height % multiple != 0 || plane.width % multiple != 0)
      fail(
          "an image of {} x {} pixels does not fit the encoder: height and width must be multiples of {}, {}",
          plane.height, plane.width, multiple, reason);
    planes.push_back(plane);
  }
  const std::vector<Index> offsets = offsets_of(planes);
  const Tensor rows = Tensor::empty({offsets.back(), 3});
  parallel_for(source.sentences(), 1, [&](Index i, Index) {
    const std::int32_t* pixel = source.ids.data() + source.offsets[to_size(i)] + 2;  // after height and width
    for (Real* to = rows.data() + 3 * offsets[to_size(i)]; to < rows.data() + 3 * offsets[to_size(i) + 1];
         to += 3, ++pixel)
      for (int channel = 0; channel < 3; ++channel)
        to[channel] = static_cast<Real>(*pixel >> (16 - 8 * channel) & 255) / Real(127.5) - 1;
  });
  return {rows, std::move(planes)};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
