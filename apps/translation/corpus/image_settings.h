#pragma once

#include "autograd/real.h"

namespace regard::translation {

/// The images that a model reads.
struct ImageSettings {
  Index height = 48, width = 48;
  bool resize = true;  ///< false: images of another size are refused
};

/// How the sources of a text are read. Sentences are taken as they are. The path of an image is relative to
/// the directory of the file in which it stands, and becomes relative to the current directory.
enum class SourceKind { sentences, image_paths };

}  // namespace regard::translation
