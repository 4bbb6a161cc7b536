#include "apps/images/scenes/scenes.h"
#include "apps/random.h"
#include "autograd/machine/error.h"

namespace regard::toys {
namespace {

constexpr Index samples = 4;  ///< per pixel and axis; they make soft edges

/// True if a shape covers a point. The shape lies in the square from -r to r; y points down. In whole
/// numbers, so that every machine draws the same.
bool covers(std::size_t shape, Index x, Index y, Index r) {
  const Index squared = x * x + y * y;
  switch (shape) {
    case 0:
      return squared <= r * r;  // circle
    case 1:
      return true;  // square
    case 2:
      return 2 * std::abs(x) <= y + r;  // triangle, a corner at the top
    case 3:
      return 3 * std::abs(x) <= r || 3 * std::abs(y) <= r;  // cross
    default:
      return squared <= r * r && 100 * squared >= 30 * r * r;  // ring
  }
}

/// The number of samples of a pixel that the object covers, at most samples * samples.
Index covered_samples(const Object& object, Index pixel_y, Index pixel_x) {
  const Index r = samples * object.region.width;  // in halves of a sample's width
  Index covered = 0;
  for (Index i = 0; i < samples; ++i)
    for (Index j = 0; j < samples; ++j)
      covered +=
          covers(object.shape, 2 * (samples * pixel_x + j) + 1 - r, 2 * (samples * pixel_y + i) + 1 - r, r);
  return covered;
}

void draw_object(transformer::Image& image, const Object& object) {
  const auto& colour = scene_colours[object.colour].colour;
  constexpr Index all = samples * samples;
  for (Index y = 0; y < object.region.height; ++y)
    for (Index x = 0; x < object.region.width; ++x) {
      const Index covered = covered_samples(object, y, x);
      const Index pixel = (object.region.top + y) * image.width + object.region.left + x;
      for (std::size_t i = 0; i < 3; ++i) {
        std::uint8_t& value = image.pixels[to_size(3 * pixel) + i];
        value = static_cast<std::uint8_t>((covered * colour[i] + (all - covered) * value + all / 2) / all);
      }
    }
}

}  // namespace

transformer::Image draw(const Scene& scene) {
  const std::uint8_t grey = background_greys[static_cast<std::size_t>(scene.style)];
  transformer::Image image{.height = scene.size, .width = scene.size};
  image.pixels.assign(to_size(3 * scene.size * scene.size), grey);
  if (scene.noisy) {
    constexpr int noise = 24;
    SplitMix64 random(scene.noise_seed);
    for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
      const auto noisy =
          static_cast<std::uint8_t>(grey - noise + static_cast<int>(random.below(2 * noise + 1)));
      image.pixels[i] = image.pixels[i + 1] = image.pixels[i + 2] = noisy;
    }
  }
  for (const Object& object : scene.objects) draw_object(image, object);
  return image;
}

}  // namespace regard::toys
