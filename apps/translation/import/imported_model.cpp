#include "apps/translation/import/imported_model.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unistd.h>

#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/weights.h"
#include "autograd/error.h"
#include "nn/safetensors.h"
#include "nn/stored_numbers.h"

namespace regard::translation {

std::string read_limited(const std::string& path, std::uint64_t most) {
  const nn::PartlyReadFile file(path);
  if (file.size() > most)
    fail("{} has {} bytes, but such a file has at most {}; is it the right file?", path, file.size(), most);
  return file.read(0, file.size());
}

void check_new_directory(const std::string& directory) {
  std::error_code error;
  if (path_exists(directory) && !std::filesystem::is_empty(directory, error))
    fail("{} exists already and is not empty; give another directory, or remove it", directory);
}

namespace {

/// Removes a directory unless the writing went well.
class UnfinishedDirectory {
 public:
  explicit UnfinishedDirectory(const std::string& target)
      : path_(fmt::format("{}.regard-tmp-{}", target, ::getpid())) {
    make_directories(path_);
  }
  UnfinishedDirectory(const UnfinishedDirectory&) = delete;
  UnfinishedDirectory& operator=(const UnfinishedDirectory&) = delete;
  ~UnfinishedDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

void write_model(const ImportedModel& model, const std::string& directory) {
  for (const auto& [name, tensor] : model.parameters)
    if (!std::ranges::all_of(tensor.values(), [](Real value) { return std::isfinite(value); }))
      fail("a weight is not finite, in {}; the file is damaged, or its training has diverged", name);
  check_new_directory(directory);
  const std::string target = std::filesystem::path(directory + "/").parent_path();  // without / at the end
  const UnfinishedDirectory unfinished(target);
  const ModelDirectory files(unfinished.path());
  files.save_vocabularies(model.settings, model.vocabularies);
  nn::save_safetensors(files.weights(), model.parameters, identity_of(model.settings, model.vocabularies));
  files.save_config(model.settings);
  std::error_code error;
  std::filesystem::rename(unfinished.path(), target, error);
  if (error) fail("cannot make {}: {}", directory, error.message());
}

}  // namespace regard::translation
