#pragma once

#include <memory>
#include <string>

#include "apps/images/image_file.h"
#include "apps/translation/corpus/source_files.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/translator/translator.h"

namespace regard::translation {

/// The images that a model reads (data.images).
struct ImageSettings {
  Index height = 48, width = 48;
  bool resize = true;  ///< false: images of another size are refused
};

/// How messages speak of sources that are images.
extern const SourceFiles::Words image_words;

/// Images in PNG or JPEG as sources. `pixels` of the image, in each direction, give one position of the
/// memory.
std::unique_ptr<SourceFiles> image_files(const ImageSettings& settings, Index pixels);

/// The image in the size of the model's input. Throws Error if it has another size and must not be resized;
/// the message calls it `name`.
images::Image model_image(const images::Image& image, const std::string& name, const ImageSettings& settings);

/// An image in memory as a source of this model. Throws Error if the model reads text, or if the size does
/// not fit.
Translator::Source image_source(const images::Image& image, const Settings& settings);

}  // namespace regard::translation
