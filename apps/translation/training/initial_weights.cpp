#include "apps/translation/training/initial_weights.h"

#include <filesystem>

#include "apps/translation/model/model_directory.h"

namespace regard::translation {

std::string initial_model(const Settings& settings) {
  std::error_code none;
  const std::string& path = settings.training.initial_weights;
  return std::filesystem::is_directory(path, none) ? path : std::string();
}

std::string initial_weights_file(const Settings& settings) {
  const std::string directory = initial_model(settings);
  return directory.empty() ? settings.training.initial_weights : ModelDirectory(directory).weights();
}

}  // namespace regard::translation
