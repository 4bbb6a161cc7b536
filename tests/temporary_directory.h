#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <system_error>

#include "autograd/machine/error.h"

namespace regard::tests {

/// A directory of its own for one test, removed with everything in it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    constexpr std::size_t letters_to_choose = 6;  // mkdtemp replaces as many X
    std::string pattern = (std::filesystem::temp_directory_path() / "regard-test-").string() +
                          std::string(letters_to_choose, 'X');
    if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary directory could be made");
    path_ = pattern;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

  /// Makes a file with this content, byte by byte, and returns its path.
  std::string file(const std::string& name, std::string_view content) const {
    std::ofstream(*this / name, std::ios::binary) << content;
    return *this / name;
  }

  /// How many files and directories are in it.
  std::size_t entries() const {
    return to_size(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

/// The bytes of a file.
inline std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace regard::tests
