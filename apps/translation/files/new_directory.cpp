#include "apps/translation/files/new_directory.h"

#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>

#include "apps/translation/files/files.h"
#include "autograd/error.h"

namespace regard::translation {

NewDirectory::NewDirectory(const std::string& path)
    : path_(std::filesystem::path(path + "/").parent_path().string()),  // without / at the end
      temporary_(fmt::format("{}.regard-tmp-{}", path_, ::getpid())) {
  std::error_code error;
  if (std::filesystem::is_directory(path_, error) && !std::filesystem::is_empty(path_, error))
    fail("the directory {} is not empty; give a new one, so that the files of two models do not mix", path);
  check_directory(path_);
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
