#include "apps/translation/model/model_directory.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {
constexpr const char* tensors_suffix = ".safetensors";
constexpr const char* text_suffix = ".txt";
constexpr const char* states_folder = "/state";
constexpr const char* checkpoints_folder = "/checkpoints";
constexpr const char* validations_folder = "/validation";

/// Reads a text as a number of at least 0; returns nothing if it is not one.
std::optional<Index> number(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

void ModelDirectory::check_in_place() const {
  if (lock_ && !lock_->in_place())
    fail(
        "{0} was moved, removed or replaced while a training ran in it, so the training has stopped; nothing "
        "in the directory that has this path now was changed; if {0} was moved, the same command with the "
        "new "
        "path as --out resumes the training",
        path_);
}

void ModelDirectory::check_not_removed() const {
  check_in_place();
  if (lock_ && !path_exists(config()))
    fail(
        "{} was removed while a training ran in {}, so the training has stopped; to begin a new one there, "
        "remove the other files of the directory too, or give --overwrite",
        config(), path_);
}

std::vector<Index> ModelDirectory::steps_in(const std::string& folder, const char* suffix) const {
  std::vector<Index> steps;
  for (const std::string& name : files_in(path_ + folder))
    if (const auto step = number(std::filesystem::path(name).stem().string());
        step && name == fmt::format("{}{}", *step, suffix))
      steps.push_back(*step);
  std::ranges::sort(steps, std::greater<>());
  return steps;
}

bool ModelDirectory::is_name(const std::string& folder, const std::string& name) const {
  const std::filesystem::path file = name;
  if (folder.empty()) return std::ranges::count(fixed_files(), path_ + "/" + name) > 0;
  return number(file.stem().string()) &&
         file.extension() == (folder == validations_folder ? text_suffix : tensors_suffix);
}

bool is_file_of_model(const std::string& path) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(path, error);
  if (error) return false;  // there is no file
  for (const std::string folder : {"", states_folder, checkpoints_folder, validations_folder}) {
    const std::string parent = file.parent_path();
    if (!parent.ends_with(folder)) continue;
    const ModelDirectory directory(parent.substr(0, parent.size() - folder.size()));
    if (directory.has_model() && directory.is_name(folder, file.filename())) return true;
  }
  return false;
}

bool ModelDirectory::has_text_encoding(const Settings& settings) const {
  const bool joint = settings.data.joint_vocabulary;
  return path_exists(joint ? vocabulary() : source_vocabulary()) &&
         path_exists(joint ? vocabulary() : target_vocabulary()) &&
         (settings.data.tokeniser != "sentencepiece" || path_exists(subwords())) &&
         (settings.data.tokeniser != "marian" ||
          (path_exists(source_subwords()) && path_exists(target_subwords())));
}

const std::string& ModelDirectory::present(const std::string& file) const {
  if (!path_exists(file))
    fail("{} is not a complete model: {} is missing; train it with regard train", path_, file);
  return file;
}

bool ModelDirectory::has_weights() const { return path_exists(weights()); }

bool ModelDirectory::has_model() const {
  return !states().empty() || (path_exists(config()) && (has_weights() || path_exists(metrics())));
}

std::vector<std::string> ModelDirectory::files_to_translate() const {
  return {config(),   weights(),         vocabulary(),     source_vocabulary(), target_vocabulary(),
          subwords(), source_subwords(), target_subwords()};
}

std::vector<std::string> ModelDirectory::results() const {
  std::vector<std::string> files = files_to_translate();
  std::erase(files, config());
  for (const Index step : checkpoints()) files.push_back(checkpoint(step));
  for (const Index step : validations()) files.push_back(validation(step));
  return files;
}

std::vector<std::string> ModelDirectory::fixed_files() const {
  std::vector<std::string> files = files_to_translate();
  files.push_back(metrics());
  return files;
}

ModelDirectory::Content ModelDirectory::content() const {
  const std::vector<Index> steps = states();
  if (path_exists(config())) return steps.empty() ? Content::model : Content::training;
  // Without a configuration, either the training was killed before it began or a user removed the file.
  if (!steps.empty()) return steps.front() > 0 || path_exists(weights()) ? Content::model : Content::nothing;
  const bool any = std::ranges::any_of(results(), path_exists) || path_exists(metrics());
  return any ? Content::model : Content::nothing;
}

void ModelDirectory::check_replaceable(std::span<const std::string> inputs) const {
  std::vector<std::string> files = fixed_files();
  for (const std::string& file : results()) files.push_back(file);
  for (const Index step : states()) files.push_back(state(step));
  for (const std::string& file : files)
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
  for (const std::string& file : files)
    if (file.ends_with(tensors_suffix) && path_exists(file) && !nn::saved_by_regard(file)) refuse(file);
  const std::vector<Index> logged = logged_validations();
  for (const Index step : validations())
    if (std::ranges::count(logged, step) == 0) refuse(validation(step));
}

std::vector<Index> ModelDirectory::logged_validations() const {
  // A program that uses the library may keep no log. Then only a state shows that there was a training.
  if (file_size(metrics()) == 0) return states().empty() ? std::vector<Index>() : validations();
  std::vector<Index> steps;
  for (const std::string& line : read_lines(metrics())) {
    const Json entry = Json::parse(line, nullptr, false);
    if (entry.is_object() && entry.contains("validation_loss") && entry.contains("step") &&
        entry["step"].is_number_integer())
      steps.push_back(entry["step"].get<Index>());
  }
  return steps;
}

void ModelDirectory::create(const Settings& settings, const Vocabularies& vocabularies) const {
  const CheckpointSettings& checkpoint_settings = settings.checkpoints;
  if (settings.data.has_validation()) make_directory(path_ + validations_folder);
  if (checkpoint_settings.keep_last + checkpoint_settings.keep_best > 0)
    make_directory(path_ + checkpoints_folder);
  write_file(metrics(), "");
  // From here until the configuration is written again, the directory holds no training to resume.
  remove_file(config());
  for (const Index step : states())
    if (step > 0) remove_file(state(step));
  for (const std::string& file : results()) remove_file(file);
  save_vocabularies(settings, vocabularies);
  save_config(settings);
}

void ModelDirectory::save_vocabularies(const Settings& settings, const Vocabularies& vocabularies) const {
  if (settings.data.joint_vocabulary) {
    vocabularies.source.save(vocabulary());
  } else {
    vocabularies.source.save(source_vocabulary());
    vocabularies.target.save(target_vocabulary());
  }
  const bool two = !vocabularies.target_subwords.empty();
  if (!vocabularies.subwords.empty()) write_file(two ? source_subwords() : subwords(), vocabularies.subwords);
  if (two) write_file(target_subwords(), vocabularies.target_subwords);
}

void ModelDirectory::save_config(const Settings& settings) const {
  write_file(config(), dump_json(to_json(resolved(settings)), config()));
}

Settings ModelDirectory::load_config() const {
  return parse_settings(parse_json(read_file(config()), config()), config());
}

void ModelDirectory::remove_temporary_files() const {
  for (const std::string folder : {"", states_folder, checkpoints_folder, validations_folder})
    for (const std::string& name : files_in(path_ + folder))
      if (is_name(folder, std::string(name_of_temporary(name)))) remove_file(path_ + folder + "/" + name);
}

std::string ModelDirectory::validation(Index step) const {
  return fmt::format("{}{}/{}{}", path_, validations_folder, step, text_suffix);
}

std::string ModelDirectory::checkpoint(Index step) const {
  return fmt::format("{}{}/{}{}", path_, checkpoints_folder, step, tensors_suffix);
}

std::string ModelDirectory::state(Index step) const {
  return fmt::format("{}{}/{}{}", path_, states_folder, step, tensors_suffix);
}

std::vector<Index> ModelDirectory::checkpoints() const {
  return steps_in(checkpoints_folder, tensors_suffix);
}

std::vector<Index> ModelDirectory::validations() const { return steps_in(validations_folder, text_suffix); }

std::vector<Index> ModelDirectory::states() const { return steps_in(states_folder, tensors_suffix); }

void ModelDirectory::save_weights(nn::Module& model, const nn::Metadata& identity) const {
  check_not_removed();
  nn::save_safetensors(weights(), model.parameters(), identity);
}

void ModelDirectory::save_checkpoint(Index step, nn::Module& model, const nn::Metadata& identity) const {
  check_not_removed();
  make_directory(path_ + checkpoints_folder);
  nn::save_safetensors(checkpoint(step), model.parameters(), identity);
}

void ModelDirectory::save_state(Index step, const std::vector<nn::NamedParameter>& tensors,
                                const nn::Metadata& metadata) const {
  if (step > 0) check_not_removed();  // the state of step 0 is written before the configuration
  make_directory(path_ + states_folder);
  nn::save_safetensors(state(step), tensors, metadata);
}

void ModelDirectory::keep_checkpoints(std::span<const Index> steps) const {
  for (const Index step : checkpoints())
    if (std::ranges::count(steps, step) == 0) remove_file(checkpoint(step));
}

void ModelDirectory::save_validation(Index step, std::span<const std::string> translations) const {
  check_not_removed();
  make_directory(path_ + validations_folder);
  std::string text;
  for (const std::string& translation : translations) text += translation + '\n';
  write_file(validation(step), text);
}

void ModelDirectory::remove_states_after(Index step) const {
  for (const Index other : states())
    if (other > step) remove_file(state(other));
}

void ModelDirectory::keep_states(std::size_t count) const {
  std::vector<Index> steps = states();
  for (; steps.size() > count; steps.pop_back()) remove_file(state(steps.back()));
}

void ModelDirectory::truncate_log(Index bytes) const {
  const Index size = file_size(metrics());
  if (size == bytes) return;
  std::string text = size > 0 ? read_file(metrics()) : "";
  if (size < bytes) {  // another program has shortened it
    warn("warning: {} is shorter than it was; some of its lines are lost", metrics());
    bytes = to_index(text.rfind('\n') + 1);  // keeps only complete lines
  }
  write_file(metrics(), text.substr(0, to_size(bytes)));
}

}  // namespace regard::translation
