#include "apps/translation/files/new_directory.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "apps/translation/files/files.h"
#include "autograd/machine/error.h"

namespace regard::translation {

void NewDirectory::check(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error) && !std::filesystem::is_empty(path, error))
    fail("{} exists already and is not empty; give another directory, or remove it", path);
  check_directory(path);
}

NewDirectory::NewDirectory(const std::string& path)
    : path_(std::filesystem::path(path + "/").parent_path().string()),  // without / at the end
      temporary_(fmt::format("{}.regard-tmp-{}", path_, ::getpid())) {
  check(path);
  make_directories(temporary_);
}

NewDirectory::~NewDirectory() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove_all(temporary_, ignored);
}

void NewDirectory::finish() {
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) fail("cannot make the directory {}: {}", path_, error.message());
  temporary_.clear();
}

}  // namespace regard::translation
