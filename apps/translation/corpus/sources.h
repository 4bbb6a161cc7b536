#pragma once

#include <string>
#include <utility>
#include <vector>

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

}  // namespace regard::translation
