#pragma once

#include <string>
#include <utility>
#include <vector>

#include "autograd/machine/real.h"

namespace regard::translation {

/// The files of a text, which are read one after the other. A single path converts to it; "" means no file.
struct Paths {
  std::vector<std::string> files;

  Paths() = default;
  Paths(std::string path) {
    if (!path.empty()) files.push_back(std::move(path));
  }
  Paths(const char* path) : Paths(std::string(path)) {}
  Paths(std::vector<std::string> paths) : files(std::move(paths)) {}

  bool empty() const { return files.empty(); }
  bool operator==(const Paths&) const = default;
};

/// The images that a model reads.
struct ImageSettings {
  Index height = 48, width = 48;
  bool resize = true;  ///< false: images of another size are refused
};

/// How the sources of a text are read. Sentences are taken as they are. The path of an image is relative to
/// the directory of the file in which it stands, and becomes relative to the current directory.
enum class SourceKind { sentences, image_paths };

}  // namespace regard::translation
