#include "apps/translation/training/training_state.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/translation/files/files.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/files/version.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {

const std::string checksum_prefix = "checksum of the ";  // in a state's metadata

constexpr const char* kernels_key = "computed with";

/// Names the code that computes. Other kernels add numbers in another order, so their sums round differently.
std::string kernels_in_use() {
  const std::string& openblas = blas::information().version;  // "OpenBLAS 0.3.21 and its options"
  return fmt::format("{} instructions, products in tiles of 144 rows, {}, core {}", to_string(simd()),
                     openblas.substr(0, openblas.find(' ', openblas.find(' ') + 1)),
                     blas::information().core);
}

void warn_of_other_kernels(const std::string& kernels, const std::string& path) {
  if (kernels == kernels_in_use()) return;
  warn(
      "{} was computed with {}, but this run computes with {}; the training resumes, but it does "
      "not end with the same bits as without the interruption",
      path, printable(kernels, 100), kernels_in_use());
}

struct StoredState {
  std::map<std::string, Tensor> tensors;
  Progress progress = {};
  Checksums checksums = {};
  Settings settings = {};
  std::string kernels = {};
};

constexpr const char* state_format = "3";
constexpr const char* format_key = "format";
constexpr const char* settings_key = "settings";

StoredState read_state(const std::string& path, Index step) {
  nn::Metadata metadata;
  StoredState state{.tensors = nn::load_safetensors(path, &metadata)};
  if (!metadata.contains("progress")) fail("{} is not the state of a training", path);
  const std::string writer = metadata["version"];
  if (const std::string& format = metadata[format_key]; format != state_format)
    fail("{} has the state format {}, but this version of regard reads format {}; resume it with regard {}",
         path, format.empty() ? "1" : printable(format), state_format,
         writer.empty() ? "of its version" : printable(writer));
  try {
    state.progress = parse_progress(metadata.at("progress"), path);
    Json settings = parse_json(metadata[settings_key], path);
    if (settings.contains(Json::json_pointer("/data/cache"))) settings["data"].erase("cache");  // was removed
    state.settings = parse_settings(settings, path);
  } catch (const Error& error) {
    if (writer.empty() || writer == exact_version()) throw;
    fail("{}; regard {} wrote it, and this is {}", error.what(), printable(writer), exact_version());
  }
  if (state.progress.step != step)
    fail("{} is the state of another step, step {}", path, state.progress.step);
  for (const auto& [part, checksum] : metadata)
    if (part.starts_with(checksum_prefix))
      state.checksums.emplace_back(part.substr(checksum_prefix.size()), checksum);
  state.kernels = metadata[kernels_key];
  return state;
}

void check_same_settings(const Settings& now, const Settings& begun, const std::string& state,
                         const ModelDirectory& directory) {
  if (const auto changed = changed_setting(begun, now))
    fail(
        "{} is the state of another training: {} is {} there, and {} in {}; move the files of the other "
        "training to another directory, or give --overwrite to start a new training",
        state, changed->place, changed->begun, changed->now, directory.config());
}

void check_same_data(const Checksums& now, const Checksums& begun, const std::string& directory) {
  for (const auto& [part, checksum] : now) {
    const auto before = std::ranges::find(begun, part, &Checksums::value_type::first);
    if (before != begun.end() && before->second == checksum) continue;
    if (before != begun.end() && before->second == no_corpus)
      fail(
          "the training in {} began without a {}; leave it out, give another directory, or --overwrite to "
          "start a new training",
          directory, part);
    if (part == vocabulary_part)
      fail(
          "the {0} is not the one with which the training in {1} began; if its files there were changed, "
          "remove them, and they are made again; otherwise give the corpus of that training, another "
          "directory, or --overwrite to start a new training",
          part, directory);
    fail(
        "the {} is not the one with which the training in {} began; give that one, another directory, or "
        "--overwrite to start a new training",
        part, directory);
  }
}

/// Returns the message of the Error that `read` throws, or nothing if it throws none. OutOfMemory is passed
/// on, because it is not a fault of the file.
template <class Read>
std::optional<std::string> fault_in(const Read& read) {
  try {
    read();
  } catch (const OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

/// Returns the fault of a file of weights, or nothing if it is complete. Throws Error if the file exists but
/// cannot be opened: it may be complete.
std::optional<std::string> fault_of(const std::string& path) {
  if (!path_exists(path)) return path + " is missing";
  check_readable(path);
  return fault_in([&] { nn::load_safetensors(path); });
}

}  // namespace

std::vector<nn::NamedParameter> tensors_of(const Training& training) {
  std::vector<nn::NamedParameter> tensors;
  const auto add = [&](const std::string& prefix, const std::vector<nn::NamedParameter>& some) {
    for (const auto& [name, tensor] : some) tensors.push_back({prefix + name, tensor});
  };
  add("model.", training.model->parameters());
  add("optimiser.", training.optimiser->state());
  if (training.average != nullptr) add("average.", training.average->averages());
  return tensors;
}

void save_state(const Training& training) {
  const ModelDirectory& directory = training.directory;
  nn::Metadata metadata{{format_key, state_format},
                        {"progress", to_text(training.progress)},
                        {settings_key, dump_json(to_json(resolved(training.settings)), directory.config())},
                        {"version", exact_version()},
                        {kernels_key, kernels_in_use()}};
  for (const auto& [part, checksum] : training.checksums) metadata[checksum_prefix + part] = checksum;
  nn::save_safetensors(directory.writable(directory.states.file(training.progress.step)),
                       tensors_of(training), metadata);
}

void load_state(Training& training) {
  const ModelDirectory& directory = training.directory;
  std::vector<std::string> faults;
  for (const Index step : directory.states.steps()) {
    const std::string path = directory.states.file(step);
    check_readable(path);
    StoredState state;
    if (const auto fault = fault_in([&] { state = read_state(path, step); })) {
      faults.push_back(*fault);
      continue;
    }
    check_same_settings(training.settings, state.settings, path, directory);
    check_same_data(training.checksums, state.checksums, directory.path());
    exclude_tokens(state.tensors, training.settings.model.first_predicted);
    nn::copy_tensors(state.tensors, tensors_of(training), path);
    training.optimiser->set_steps(step);
    warn_of_other_kernels(state.kernels, path);
    for (const std::string& fault : faults) warn("{}; resuming from step {} instead", fault, step);
    training.progress = state.progress;
    return;
  }
  fail("{}; there is no other state to resume from; --overwrite starts a new training",
       faults.empty() ? directory.path() + " contains no state of a training"
                      : fmt::format("{}", fmt::join(faults, "; ")));
}

void forget_missing_weights(const ModelDirectory& directory, Progress& progress) {
  std::erase_if(progress.kept, [&](const Checkpoint& checkpoint) {
    const auto fault = fault_of(directory.checkpoints.file(checkpoint.step));
    if (fault) warn("{}; resuming without this checkpoint", *fault);
    return fault.has_value();
  });
  if (!progress.best && !progress.finished) return;
  const auto fault = fault_of(directory.weights());
  if (!fault) return;
  warn("{}; the search for the best weights starts again", *fault);
  progress.best.reset();
  progress.finished = false;
  progress.validated_step = -1;  // so that the newest weights are validated even if no step follows
}

}  // namespace regard::translation
