#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/images/image_file.h"
#include "apps/translation/corpus/image_settings.h"

namespace regard::translation {

/// The image in the size of the model's input. Throws Error if it has another size and must not be resized;
/// the message calls it `name`.
images::Image model_image(const images::Image& image, const std::string& name, const ImageSettings& settings);

/// The same for an image in a file. Throws Error that names the file if it cannot be read.
images::Image read_model_image(const std::string& path, const ImageSettings& settings);

/// The same as a source of the model (transformer/images/image.h), without </s>.
std::vector<std::int32_t> image_source(const std::string& path, const ImageSettings& settings);

/// Throws Error if the text, which a model for sentences is about to read, is the path of an image. `place`
/// says where it is, such as "train.tsv, line 1".
void check_no_image(const std::string& text, const std::string& place);

}  // namespace regard::translation
