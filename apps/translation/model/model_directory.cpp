#include "apps/translation/model/model_directory.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/files/json.h"
#include "apps/translation/model/text_encoding.h"
#include "apps/translation/settings/doors.h"
#include "autograd/machine/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

std::string StepFiles::file(Index step) const { return fmt::format("{}/{}{}", folder_, step, suffix_); }

std::optional<Index> StepFiles::step_of(const std::string& name) const {
  Index step = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
  if (error != std::errc() || step < 0 || name != fmt::format("{}{}", step, suffix_)) return std::nullopt;
  return step;
}

std::vector<Index> StepFiles::steps() const {
  std::vector<Index> steps;
  for (const std::string& name : files_in(folder_))
    if (const auto step = step_of(name)) steps.push_back(*step);
  std::ranges::sort(steps, std::greater<>());
  return steps;
}

void StepFiles::keep(std::span<const Index> wanted) const {
  for (const Index step : steps())
    if (std::ranges::count(wanted, step) == 0) remove_file(file(step));
}

void StepFiles::remove_temporary_files() const {
  for (const std::string& name : files_in(folder_))
    if (step_of(std::string(name_of_temporary(name)))) remove_file(folder_ + "/" + name);
}

ModelDirectory::ModelDirectory(std::string path)
    : states(path + "/state", ".safetensors"),
      checkpoints(path + "/checkpoints", ".safetensors"),
      validations(path + "/validation", ".txt"),
      path_(std::move(path)) {}

bool ModelDirectory::has_weights() const { return path_exists(weights()); }

std::vector<std::string> ModelDirectory::files_to_translate() const {
  std::vector<std::string> files = text_encoding_files(path_);
  for (const SearchRule& rule : doors().rules)
    if (!rule.file.empty()) files.insert(files.begin(), path_ + "/" + rule.file);
  files.insert(files.begin(), {config(), weights()});
  return files;
}

std::vector<std::string> ModelDirectory::fixed_files() const {
  std::vector<std::string> files = files_to_translate();
  files.push_back(metrics());
  return files;
}

std::vector<std::string> ModelDirectory::files() const {
  std::vector<std::string> files = fixed_files();
  for (const StepFiles* of_steps : {&states, &checkpoints, &validations})
    for (const Index step : of_steps->steps()) files.push_back(of_steps->file(step));
  return files;
}

ModelDirectory::Content ModelDirectory::content() const {
  const std::vector<Index> steps = states.steps();
  if (path_exists(config())) return steps.empty() ? Content::model : Content::training;
  // Without a configuration, either the training was killed before it began or a user removed the file.
  if (!steps.empty()) return steps.front() > 0 || path_exists(weights()) ? Content::model : Content::nothing;
  return std::ranges::any_of(files(), path_exists) ? Content::model : Content::nothing;
}

void ModelDirectory::check_in_place() const {
  if (lock_ && !lock_->in_place())
    fail(
        "{0} was moved, removed or replaced while a training ran in it, so the training has stopped; nothing "
        "in the directory that has this path now was changed; if {0} was moved, the same command with "
        "the new path as --out resumes the training",
        path_);
}

std::string ModelDirectory::writable(const std::string& file) const {
  check_in_place();
  if (lock_ && file != states.file(0) && !path_exists(config()))
    fail(
        "{} was removed while a training ran in {}, so the training has stopped; to begin a new one there, "
        "remove the other files of the directory too, or give --overwrite",
        config(), path_);
  make_directory(std::filesystem::path(file).parent_path().string());
  return file;
}

void ModelDirectory::check_replaceable(std::span<const std::string> inputs) const {
  const std::vector<std::string> all = files();
  for (const std::string& file : all)
    for (const std::string& input : inputs)
      if (same_file(file, input))
        fail(
            "a new training would remove {}, which is an input of this training; move it to another place, "
            "or give another directory",
            file);
  const auto refuse = [](const std::string& file) {
    fail(
        "a new training would remove {}, which regard did not write, or which is damaged; move it to another "
        "place, or give another directory",
        file);
  };
  for (const std::string& file : all)
    if (file.ends_with(".safetensors") && path_exists(file) && !nn::saved_by_regard(file)) refuse(file);
  const std::vector<Index> logged = logged_validations();
  for (const Index step : validations.steps())
    if (std::ranges::count(logged, step) == 0) refuse(validations.file(step));
}

std::vector<Index> ModelDirectory::logged_validations() const {
  // A program that uses the library may keep no log. Then only a state shows that there was a training.
  if (file_size(metrics()) == 0) return states.steps().empty() ? std::vector<Index>() : validations.steps();
  std::vector<Index> steps;
  for (const std::string& line : read_lines(metrics())) {
    const Json entry = Json::parse(line, nullptr, false);
    if (entry.is_object() && entry.contains("validation_loss") && entry.contains("step") &&
        entry["step"].is_number_integer())
      steps.push_back(entry["step"].get<Index>());
  }
  return steps;
}

void ModelDirectory::remove_results() const {
  write_file(metrics(), "");
  remove_file(config());
  states.keep(std::vector<Index>{0});
  checkpoints.keep({});
  validations.keep({});
  for (const std::string& file : files_to_translate()) remove_file(file);
}

void ModelDirectory::remove_temporary_files() const {
  const std::vector<std::string> fixed = fixed_files();
  for (const std::string& name : files_in(path_))
    if (std::ranges::count(fixed, fmt::format("{}/{}", path_, name_of_temporary(name))) > 0)
      remove_file(path_ + "/" + name);
  for (const StepFiles* of_steps : {&states, &checkpoints, &validations}) of_steps->remove_temporary_files();
}

bool ModelDirectory::has_file(const std::string& path) const {
  const bool begun = path_exists(config()) && (has_weights() || path_exists(metrics()));
  return (begun || !states.steps().empty()) && std::ranges::count(files(), path) > 0;
}

bool is_file_of_model(const std::string& path) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(path, error);
  if (error) return false;  // there is no file
  const std::filesystem::path folder = file.parent_path();
  return ModelDirectory(folder.string()).has_file(file.string()) ||
         ModelDirectory(folder.parent_path().string()).has_file(file.string());
}

}  // namespace regard::translation
