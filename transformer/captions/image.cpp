#include "transformer/captions/image.h"

#include <span>

#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

std::vector<std::int32_t> as_source(const Image& image) {
  const Index pixels = image.height * image.width;
  if (image.height < 1 || image.width < 1 || to_index(image.pixels.size()) != 3 * pixels)
    fail("an image of {} x {} pixels has {} bytes; it needs {}", image.height, image.width,
         image.pixels.size(), 3 * pixels);
  std::vector<std::int32_t> source{static_cast<std::int32_t>(image.height),
                                   static_cast<std::int32_t>(image.width)};
  source.reserve(to_size(pixels) + 3);
  for (std::size_t i = 0; i < image.pixels.size(); i += 3)
    source.push_back(image.pixels[i] << 16 | image.pixels[i + 1] << 8 | image.pixels[i + 2]);
  return source;
}

namespace {

/// Height and width of an image that is given as a source. Throws Error for a sequence that is not an image.
Plane plane_of(std::span<const std::int32_t> source) {
  const Index entries = to_index(source.size());
  if (entries < 3) fail("a source of {} entries is not an image", entries);
  const Plane plane{source[0], source[1]};
  if (plane.height < 1 || plane.width < 1 || (entries != plane.pixels() + 2 && entries != plane.pixels() + 3))
    fail("a source of {} entries is not an image of {} x {} pixels", entries, plane.height, plane.width);
  return plane;
}

}  // namespace

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
