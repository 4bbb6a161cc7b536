#include "apps/translation/corpus/image_source.h"

#include "apps/images/resize.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

images::Image model_image(const images::Image& image, const std::string& name,
                          const ImageSettings& settings) {
  if (!settings.resize && (image.height != settings.height || image.width != settings.width))
    fail(
        "{} has {} x {} pixels, but this model reads {} x {}; resize the image, or set data.images.resize to "
        "true "
        "for a training",
        name, image.width, image.height, settings.width, settings.height);
  return images::resized(image, settings.height, settings.width);
}

images::Image read_model_image(const std::string& path, const ImageSettings& settings) {
  return model_image(images::read_image(path), path, settings);
}

std::vector<std::int32_t> image_source(const std::string& path, const ImageSettings& settings) {
  return as_source(read_model_image(path, settings));
}

void check_no_image(const std::string& text, const std::string& place) {
  if (images::names_image(text))
    fail(
        "{} is the image {}, but this model reads text; use a model that reads images (model.encoder "
        "\"convolutional\" or \"patches\")",
        place, printable(text, 1000));
}

}  // namespace regard::translation
