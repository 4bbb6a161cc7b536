#pragma once

// The images and captions of the file tests/fixtures/pytorch/images.safetensors.

#include "tests/transformer/captions/support.h"
#include "tests/transformer/pytorch_fixtures.h"

namespace regard::tests {

// The numbers of make_image_fixtures.py.
inline constexpr Index caption_vocabulary = 12, caption_width = 4;

inline Batch batch_of_images(const Fixtures& fixtures) {
  const Planes planes{{8, 6}, {4, 4}, {6, 10}};
  std::vector<Image> images;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    images.push_back({.height = planes[i].height, .width = planes[i].width});
    for (const Real value : fixtures.tensors.at("image_" + std::to_string(i)).values())
      images.back().pixels.push_back(static_cast<std::uint8_t>(value));
  }
  Batch batch = make_batch({{4}, {4}, {4}}, {{9, 4, 11, 6}, {5, 5, 8, 10, 7, 4}, {11}});
  batch.source = pack_images(images);
  return batch;
}

}  // namespace regard::tests
