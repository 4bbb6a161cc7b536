#include "transformer/captions/image_config.h"

#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Index ImageConfig::reduction() const {
  Index product = 1;
  for (const Index stride : strides) product *= stride;
  return product;
}

void check(const ImageConfig& config) {
  if (config.channels.empty() || config.channels.size() != config.strides.size())
    fail("image.channels has {} entries and image.strides {}; give one of each for every layer, at least one",
         config.channels.size(), config.strides.size());
  if (to_index(config.channels.size()) > most_layers)
    fail("image.channels has {} entries; give at most {}", config.channels.size(), most_layers);
  if (config.window > greatest_window)
    fail("image.window is {}; give at most {}", config.window, greatest_window);
  if (config.window < 1 || config.window % 2 == 0)
    fail("image.window is {}; give an odd number, so that the window has a pixel in its middle",
         config.window);
  for (const Index channels : config.channels)
    if (channels < 1) fail("image.channels has {}; each must be at least 1", channels);
  for (const Index stride : config.strides)
    if (stride < 1 || stride > config.window)
      fail("image.strides has {}; each must be from 1 to image.window, {}, or the window skips pixels",
           stride, config.window);
  if (config.patch_size < 1) fail("image.patch_size is {}; it must be at least 1", config.patch_size);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
