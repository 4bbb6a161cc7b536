#include "apps/translation/training/training_state.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/translation/files/files.h"
#include "apps/translation/files/version.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/text/utf8.h"
#include "autograd/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {

/// All tensors of a state under one roof: "model.", "optimiser." and "average." before their names.
std::vector<nn::NamedParameter> all_tensors(const TrainingParts& parts) {
  std::vector<nn::NamedParameter> tensors;
  const auto add = [&](const std::string& prefix, const std::vector<nn::NamedParameter>& some) {
    for (const auto& [name, tensor] : some) tensors.push_back({prefix + name, tensor});
  };
  add("model.", parts.model.parameters());
  add("optimiser.", parts.optimiser.state());
  if (parts.average != nullptr) add("average.", parts.average->averages());
  return tensors;
}

const std::string checksum_prefix = "checksum of the ";  // in a state's metadata

struct StoredState {
  std::map<std::string, Tensor> tensors;
  Progress progress;
  Checksums checksums;
};

StoredState read_state(const std::string& path, Index step) {
  nn::Metadata metadata;
  StoredState state{.tensors = nn::load_safetensors(path, &metadata), .progress = {}, .checksums = {}};
  if (!metadata.contains("progress")) fail("{} is no state of a training", path);
  try {
    state.progress = parse_progress(parse_json(metadata.at("progress"), path), path);
  } catch (const Error& error) {
    const std::string& writer = metadata["version"];
    if (writer.empty() || writer == exact_version()) throw;
    fail("{}; regard {} wrote it, and this is {}", error.what(), shown(writer), exact_version());
  }
  if (state.progress.step != step) fail("{} is the state of step {}", path, state.progress.step);
  for (const auto& [part, checksum] : metadata)
    if (part.starts_with(checksum_prefix))
      state.checksums.emplace_back(part.substr(checksum_prefix.size()), checksum);
  return state;
}

void check_same_data(const Checksums& now, const Checksums& begun, const std::string& directory) {
  for (const auto& [part, checksum] : now) {
    const auto before = std::ranges::find(begun, part, &Checksums::value_type::first);
    if (before != begun.end() && before->second == checksum) continue;
    if (before != begun.end() && before->second == no_corpus)
      fail(
          "the training in {} began without a {}; leave it out, give another directory, or --overwrite to "
          "begin anew",
          directory, part);
    if (part == vocabulary_part)
      fail(
          "the {0} is not the one with which the training in {1} began; if its files there were changed, "
          "remove them, and they are made anew; otherwise give the corpus of that training, another "
          "directory, or --overwrite to begin anew",
          part, directory);
    fail(
        "the {} is not the one with which the training in {} began; give that one, another directory, or "
        "--overwrite to begin anew",
        part, directory);
  }
}

/// What `read` complains of; nothing if the file is whole. Memory that runs out is no fault of the file.
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

/// What is wrong with a file of weights; nothing if it is whole. Throws Error for one that is merely closed
/// to us: it is not damaged.
std::optional<std::string> fault_of(const std::string& path) {
  if (!is_there(path)) return path + " is gone";
  check_readable(path);
  return fault_in([&] { nn::load_safetensors(path); });
}

}  // namespace

void save_state(const ModelDirectory& directory, const TrainingParts& parts, const Progress& progress) {
  nn::Metadata metadata{{"progress", to_json(progress).dump()}, {"version", exact_version()}};
  for (const auto& [part, checksum] : parts.checksums) metadata[checksum_prefix + part] = checksum;
  nn::save_safetensors(directory.state(progress.step), all_tensors(parts), metadata);
}

void remove_old_states(const ModelDirectory& directory) {
  constexpr std::size_t states_kept = 2;
  std::vector<Index> steps = directory.states();
  for (; steps.size() > states_kept; steps.pop_back()) remove_file(directory.state(steps.back()));
}

Progress load_state(const ModelDirectory& directory, const TrainingParts& parts) {
  std::vector<std::string> faults;
  for (const Index step : directory.states()) {
    check_readable(directory.state(step));
    std::optional<StoredState> state;
    if (const auto fault = fault_in([&] { state = read_state(directory.state(step), step); })) {
      faults.push_back(*fault);
      continue;
    }
    check_same_data(parts.checksums, state->checksums, directory.path());
    nn::copy_tensors(state->tensors, all_tensors(parts), directory.state(step));
    parts.optimiser.set_steps(step);
    for (const std::string& fault : faults) warn("warning: {}; going on from step {} instead", fault, step);
    return state->progress;
  }
  fail("{}; there is no other state to go on from; --overwrite begins anew",
       faults.empty() ? directory.path() + " holds no state of a training"
                      : fmt::format("{}", fmt::join(faults, "; ")));
}

void pass_over_lost_weights(const ModelDirectory& directory, Progress& progress) {
  std::erase_if(progress.kept, [&](const Checkpoint& checkpoint) {
    const auto fault = fault_of(directory.checkpoint(checkpoint.step));
    if (fault) warn("warning: {}; going on without it", *fault);
    return fault.has_value();
  });
  if (!progress.best && !progress.finished) return;
  const auto fault = fault_of(directory.weights());
  if (!fault) return;
  warn("warning: {}; the best weights are looked for anew", *fault);
  progress.best.reset();
  progress.finished = false;
  progress.validated_step = -1;  // so that the newest weights are validated, though no step may follow
}

}  // namespace regard::translation
