#include "apps/translation/model/model_directory.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {
constexpr const char* tensors_suffix = ".safetensors";
constexpr const char* text_suffix = ".txt";

/// The regular files of a directory, without those below; none if it does not exist.
std::vector<std::filesystem::path> files_in(const std::string& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    fail("cannot read the directory {}: {}", directory, error.message());
  return files;
}

/// The number that a text is, or none.
std::optional<Index> number(std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// The numbers N of the files N.suffix in a directory, the highest first.
std::vector<Index> numbers_in(const std::string& directory, const char* suffix) {
  std::vector<Index> numbers;
  for (const std::filesystem::path& file : files_in(directory))
    if (const auto found = number(file.stem().string()); found && file.extension() == suffix)
      numbers.push_back(*found);
  std::ranges::sort(numbers, std::greater<>());
  return numbers;
}

/// What write_file leaves where it is killed: NAME.tmpPID beside a name of ours.
bool is_temporary(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  const std::string of_name = file.stem().extension().string();
  constexpr std::array<std::string_view, 6> ours{".json", ".safetensors", ".model", ".jsonl", ".log", ".txt"};
  return extension.starts_with(nn::temporary_extension) &&
         number(std::string_view(extension).substr(nn::temporary_extension.size())) &&
         std::ranges::find(ours, of_name) != ours.end();
}

}  // namespace

bool ModelDirectory::has_text_encoding(const Settings& settings) const {
  const bool joint = settings.data.joint_vocabulary;
  return is_there(joint ? vocabulary() : source_vocabulary()) &&
         is_there(joint ? vocabulary() : target_vocabulary()) &&
         (settings.data.tokeniser != "sentencepiece" || is_there(subwords()));
}

const std::string& ModelDirectory::present(const std::string& file) const {
  if (!is_there(file))
    fail("{} is no complete model: {} is missing; train it with regard train", path_, file);
  return file;
}

bool ModelDirectory::has_weights() const { return is_there(weights()); }

std::vector<std::string> ModelDirectory::files_to_translate() const {
  return {config(), weights(), vocabulary(), source_vocabulary(), target_vocabulary(), subwords()};
}

std::vector<std::string> ModelDirectory::results() const {
  std::vector<std::string> files{weights(), vocabulary(), source_vocabulary(), target_vocabulary(),
                                 subwords()};
  for (const Index step : checkpoints()) files.push_back(checkpoint(step));
  for (const Index step : numbers_in(path_ + "/validation", text_suffix)) files.push_back(validation(step));
  return files;
}

ModelDirectory::Content ModelDirectory::content() const {
  const std::vector<Index> steps = states();
  if (is_there(config())) return steps.empty() ? Content::model : Content::training;
  // Without a configuration, the training was killed before it began; or somebody took it away.
  if (!steps.empty()) return steps.front() > 0 || is_there(weights()) ? Content::model : Content::nothing;
  const bool any = std::ranges::any_of(results(), is_there) || is_there(metrics()) || is_there(log());
  return any ? Content::model : Content::nothing;
}

void ModelDirectory::create(const Settings& settings, const Vocabularies& vocabularies) const {
  const CheckpointSettings& checkpoint_settings = settings.checkpoints;
  if (settings.data.has_validation()) make_directories(path_ + "/validation");
  if (checkpoint_settings.keep_last + checkpoint_settings.keep_best > 0)
    make_directories(path_ + "/checkpoints");
  nn::write_file(metrics(), {});
  nn::write_file(log(), {});
  // From here until the configuration is there again, the directory holds nothing that could go on.
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
  if (!vocabularies.subwords.empty()) nn::write_file(subwords(), {vocabularies.subwords});
}

void ModelDirectory::save_config(const Settings& settings) const {
  nn::write_file(config(), {dump_json(to_json(resolved(settings)), config())});
}

Settings ModelDirectory::load_config() const {
  return parse_settings(parse_json(read_file(config()), config()), config());
}

void ModelDirectory::remove_temporary_files() const {
  for (const char* folder : {"", "/state", "/checkpoints", "/validation"})
    for (const std::filesystem::path& file : files_in(path_ + folder))
      if (is_temporary(file)) remove_file(file.string());
}

std::string ModelDirectory::validation(Index step) const {
  return fmt::format("{}/validation/{}{}", path_, step, text_suffix);
}

std::string ModelDirectory::checkpoint(Index step) const {
  return fmt::format("{}/checkpoints/{}{}", path_, step, tensors_suffix);
}

std::string ModelDirectory::state(Index step) const {
  return fmt::format("{}/state/{}{}", path_, step, tensors_suffix);
}

std::vector<Index> ModelDirectory::checkpoints() const {
  return numbers_in(path_ + "/checkpoints", tensors_suffix);
}

std::vector<Index> ModelDirectory::states() const { return numbers_in(path_ + "/state", tensors_suffix); }

void ModelDirectory::save_weights(nn::Module& model, const nn::Metadata& identity) const {
  nn::save_safetensors(weights(), model.parameters(), identity);
}

void ModelDirectory::save_checkpoint(Index step, nn::Module& model, const nn::Metadata& identity) const {
  make_directories(path_ + "/checkpoints");
  nn::save_safetensors(checkpoint(step), model.parameters(), identity);
}

void ModelDirectory::keep_checkpoints(std::span<const Index> steps) const {
  for (const Index step : checkpoints())
    if (std::ranges::count(steps, step) == 0) remove_file(checkpoint(step));
}

void ModelDirectory::save_validation(Index step, std::span<const std::string> translations) const {
  make_directories(path_ + "/validation");
  std::string text;
  for (const std::string& translation : translations) text += translation + '\n';
  write_file(validation(step), text);
}

void ModelDirectory::forget_after(Index step) const {
  for (const Index other : states())
    if (other > step) remove_file(state(other));
}

void ModelDirectory::cut_logs(Index metrics_bytes, Index log_bytes) const {
  const auto cut = [](const std::string& path, Index bytes) {
    const Index size = file_size(path);
    if (size == bytes) return;
    if (size < bytes) {  // somebody else cut it
      warn("warning: {} is shorter than it was; lines of it are lost", path);
      if (size == 0) return;
      bytes = to_index(read_file(path).rfind('\n') + 1);  // whole lines
    }
    std::error_code error;
    std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes), error);
    if (error) fail("cannot write {}: {}", path, error.message());
  };
  cut(metrics(), metrics_bytes);
  cut(log(), log_bytes);
}

}  // namespace regard::translation
