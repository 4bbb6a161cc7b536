#include "apps/images/model_images.h"

#include <fstream>

#include "apps/images/attention_over_image.h"
#include "apps/images/resize.h"
#include "autograd/machine/error.h"

namespace regard::translation {

const SourceFiles::Words image_words{.name = "image",
                                     .one = "an image",
                                     .target = "caption",
                                     .smaller = "smaller images",
                                     .encoders = "\"convolutional\" or \"patches\""};

namespace {

class ImageFiles : public SourceFiles {
 public:
  ImageFiles(const ImageSettings& settings, Index pixels)
      : SourceFiles(image_words), settings_(settings), pixels_(pixels) {}

  std::vector<std::int32_t> read(const std::string& path) const override { return as_source(image(path)); }
  Index positions() const override { return settings_.height / pixels_ * (settings_.width / pixels_); }
  bool has_form(const std::string& path) const override {
    std::string begin(3, '\0');
    std::ifstream(path, std::ios::binary).read(begin.data(), 3);
    return begin == "\x89PN" || begin == "\xFF\xD8\xFF";
  }
  void draw(const std::string& directory, const std::string& path, const std::string& target,
            const std::vector<std::string>& words, const Tensor& weights, const Plane& plane) const override {
    images::write_attention_images(directory, image(path), {{}, words, weights, plane}, target);
  }

 private:
  images::Image image(const std::string& path) const {
    return model_image(images::read_image(path), path, settings_);
  }

  ImageSettings settings_;
  Index pixels_;
};

}  // namespace

std::unique_ptr<SourceFiles> image_files(const ImageSettings& settings, Index pixels) {
  return std::make_unique<ImageFiles>(settings, pixels);
}

images::Image model_image(const images::Image& image, const std::string& name,
                          const ImageSettings& settings) {
  if (!settings.resize && (image.height != settings.height || image.width != settings.width))
    fail(
        "{} has {} x {} pixels, but this model reads {} x {}; resize the image, or set data.images.resize to "
        "true for a training",
        name, image.width, image.height, settings.width, settings.height);
  return images::resized(image, settings.height, settings.width);
}

Translator::Source image_source(const images::Image& image, const Settings& settings) {
  if (!settings.model.reads_files())
    fail("this model reads text, so it cannot read an image; give it sentences");
  return {.text = "the image",
          .ids = as_source(model_image(image, "the image", settings.data.parts.of<ImageSettings>()))};
}

}  // namespace regard::translation
