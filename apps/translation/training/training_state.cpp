#include "apps/translation/training/training_state.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/translation/files/files.h"
#include "apps/translation/files/version.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/utf8.h"
#include "autograd/blas.h"
#include "autograd/error.h"
#include "autograd/parallel.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {

const std::string checksum_prefix = "checksum of the ";  // in a state's metadata

constexpr const char* kernels_key = "computed with";

/// Names the code that computes. Other kernels add numbers in another order, so their sums round differently.
std::string kernels_in_use() {
  const std::string& openblas = blas::information().version;  // "OpenBLAS 0.3.21 and its options"
  return fmt::format("{} instructions, products in tiles, {}, core {}", to_string(simd()),
                     openblas.substr(0, openblas.find(' ', openblas.find(' ') + 1)),
                     blas::information().core);
}

void warn_of_other_kernels(const std::string& kernels, const std::string& path) {
  if (kernels.empty() || kernels == kernels_in_use()) return;
  warn(
      "warning: {} was computed with {}, but this run computes with {}; the training resumes, but it does "
      "not end with the same bits as without the interruption",
      path, printable(kernels, 100), kernels_in_use());
}

struct StoredState {
  std::map<std::string, Tensor> tensors;
  Progress progress = {};
  Checksums checksums = {};
  std::optional<Settings> settings = {};  ///< nothing in an older format
  std::string kernels = {};               ///< empty in a state of an earlier version
};

// The format of a state. Format 3 has the settings of its training. In format 2, the random numbers of
// attention's dropout are a function of the head, the query and the key. In format 1 they also depended on
// the size of a block, so a training that resumes from such a state ends with other bits. A state of format 1
// does not name its format.
constexpr int newest_state_format = 3;
constexpr const char* format_key = "format";
constexpr const char* settings_key = "settings";

/// Throws Error for a state of a newer format, and warns about an older format.
void check_state_format(const nn::Metadata& metadata, const std::string& path) {
  const auto stored = metadata.find(format_key);
  const std::string format = stored == metadata.end() ? "1" : stored->second;
  if (format == "1")
    warn(
        "warning: an earlier version of regard wrote {}; its dropout of attention had other random numbers, "
        "so the training resumes, but it does not end with the same bits as without the interruption",
        path);
  else if (format == "2")
    warn(
        "warning: an earlier version of regard wrote {}; it does not name the settings of its training, so "
        "the training resumes without a comparison of its settings with this state",
        path);
  else if (format != std::to_string(newest_state_format))
    fail(
        "{} has the state format {}, but this version of regard reads formats up to {}; use a newer version "
        "of regard",
        path, printable(format), newest_state_format);
}

StoredState read_state(const std::string& path, Index step) {
  nn::Metadata metadata;
  StoredState state{.tensors = nn::load_safetensors(path, &metadata)};
  if (!metadata.contains("progress")) fail("{} is not the state of a training", path);
  check_state_format(metadata, path);
  try {
    state.progress = parse_progress(metadata.at("progress"), path);
    if (const auto settings = metadata.find(settings_key); settings != metadata.end())
      state.settings = parse_settings(parse_json(settings->second, path), path);
  } catch (const Error& error) {
    const std::string& writer = metadata["version"];
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

std::vector<nn::NamedParameter> tensors_of(const TrainingParts& parts) {
  std::vector<nn::NamedParameter> tensors;
  const auto add = [&](const std::string& prefix, const std::vector<nn::NamedParameter>& some) {
    for (const auto& [name, tensor] : some) tensors.push_back({prefix + name, tensor});
  };
  add("model.", parts.model.parameters());
  add("optimiser.", parts.optimiser.state());
  if (parts.average != nullptr) add("average.", parts.average->averages());
  return tensors;
}

void save_state(const ModelDirectory& directory, const TrainingParts& parts) {
  nn::Metadata metadata{{format_key, std::to_string(newest_state_format)},
                        {"progress", to_text(parts.progress)},
                        {settings_key, dump_json(to_json(resolved(parts.settings)), directory.config())},
                        {"version", exact_version()},
                        {kernels_key, kernels_in_use()}};
  for (const auto& [part, checksum] : parts.checksums) metadata[checksum_prefix + part] = checksum;
  directory.save_state(parts.progress.step, tensors_of(parts), metadata);
}

void load_state(const ModelDirectory& directory, const TrainingParts& parts) {
  std::vector<std::string> faults;
  for (const Index step : directory.states()) {
    check_readable(directory.state(step));
    std::optional<StoredState> state;
    if (const auto fault = fault_in([&] { state = read_state(directory.state(step), step); })) {
      faults.push_back(*fault);
      continue;
    }
    if (state->settings)
      check_same_settings(parts.settings, *state->settings, directory.state(step), directory);
    check_same_data(parts.checksums, state->checksums, directory.path());
    exclude_tokens(state->tensors, parts.settings.model.first_predicted);
    nn::copy_tensors(state->tensors, tensors_of(parts), directory.state(step));
    parts.optimiser.set_steps(step);
    warn_of_other_kernels(state->kernels, directory.state(step));
    for (const std::string& fault : faults) warn("warning: {}; resuming from step {} instead", fault, step);
    parts.progress = state->progress;
    return;
  }
  fail("{}; there is no other state to resume from; --overwrite starts a new training",
       faults.empty() ? directory.path() + " contains no state of a training"
                      : fmt::format("{}", fmt::join(faults, "; ")));
}

void forget_missing_weights(const ModelDirectory& directory, Progress& progress) {
  std::erase_if(progress.kept, [&](const Checkpoint& checkpoint) {
    const auto fault = fault_of(directory.checkpoint(checkpoint.step));
    if (fault) warn("warning: {}; resuming without this checkpoint", *fault);
    return fault.has_value();
  });
  if (!progress.best && !progress.finished) return;
  const auto fault = fault_of(directory.weights());
  if (!fault) return;
  warn("warning: {}; the search for the best weights starts again", *fault);
  progress.best.reset();
  progress.finished = false;
  progress.validated_step = -1;  // so that the newest weights are validated even if no step follows
}

}  // namespace regard::translation
