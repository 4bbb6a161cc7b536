#include "apps/translation/training_state.h"

#include <map>
#include <nlohmann/json.hpp>

#include "apps/translation/files.h"
#include "apps/translation/version.h"
#include "apps/translation/warning.h"
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

struct StoredState {
  std::map<std::string, Tensor> tensors;
  Progress progress;
  std::string corpus;
};

StoredState read_state(const std::string& path) {
  nn::Metadata metadata;
  StoredState state{.tensors = nn::load_safetensors(path, &metadata), .progress = {}, .corpus = {}};
  if (!metadata.contains("progress")) fail("{} is no state of a training", path);
  state.progress = parse_progress(parse_json(metadata.at("progress"), path), path);
  state.corpus = metadata["corpus"];
  return state;
}

}  // namespace

void save_state(const ModelDirectory& directory, const TrainingParts& parts, const Progress& progress) {
  nn::save_safetensors(
      directory.state(progress.step), all_tensors(parts),
      {{"progress", to_json(progress).dump()}, {"corpus", parts.corpus}, {"version", exact_version()}});
}

void remove_old_states(const ModelDirectory& directory) {
  constexpr std::size_t states_kept = 2;
  std::vector<std::int64_t> steps = directory.states();
  for (; steps.size() > states_kept; steps.pop_back()) remove_file(directory.state(steps.back()));
}

Progress load_state(const ModelDirectory& directory, const TrainingParts& parts) {
  std::vector<std::string> faults;
  for (const std::int64_t step : directory.states()) {
    std::optional<StoredState> state;
    try {
      state = read_state(directory.state(step));
    } catch (const Error& error) {
      faults.emplace_back(error.what());
      continue;
    }
    if (state->corpus != parts.corpus)
      fail(
          "the corpus is not the one with which the training in {} began; give that one, another directory, "
          "or --overwrite to begin anew",
          directory.path());
    nn::copy_tensors(state->tensors, all_tensors(parts), directory.state(step));
    parts.optimiser.set_steps(step);
    for (const std::string& fault : faults) warn("warning: {}; going on from step {} instead", fault, step);
    return state->progress;
  }
  fail("{}; there is no other state to go on from; --overwrite begins anew",
       faults.empty() ? directory.path() + " holds no state of a training" : faults.front());
}

void pass_over_missing_files(const ModelDirectory& directory, Progress& progress) {
  std::erase_if(progress.kept, [&](const Checkpoint& checkpoint) {
    const bool gone = !directory.has_checkpoint(checkpoint.step);
    if (gone) warn("warning: {} is gone; going on without it", directory.checkpoint(checkpoint.step));
    return gone;
  });
  if ((!progress.best && !progress.finished) || directory.has_weights()) return;
  warn("warning: {} is gone; the best weights are looked for anew", directory.weights());
  progress.best.reset();
  progress.finished = false;
  progress.validated_step = -1;  // so that the newest weights are validated, though no step may follow
}

}  // namespace regard::translation
