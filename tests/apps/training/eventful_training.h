#pragma once

#include <map>
#include <string>

#include "autograd/real.h"
#include "tests/apps/training/small_training.h"

namespace regard::tests {

/// A training with everything that has a state: dropout, moments, averages, checkpoints, patience.
inline SmallTraining eventful_training() {
  SmallTraining training;
  training.settings.model.config.dropout = regard::transformer::DropoutRates::all(0.2);
  training.settings.training.epochs = 3;
  training.settings.training.batch.tokens = 20;
  training.settings.training.accumulate = 2;
  training.settings.training.average_decay = 0.9;
  training.settings.training.log_every = 4;
  training.settings.validation.every_steps = 3;
  training.settings.validation.metric = translation::ValidationMetric::bleu;
  training.settings.checkpoints = {
      .save_every = 2, .keep_last = 2, .keep_best = 2, .average = translation::Averaging::last};
  return training;
}

/// All files of a training, without the seconds in its states.
inline std::map<std::string, std::string> results(const translation::ModelDirectory& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory.path())) {
    const std::string name = std::filesystem::relative(entry.path(), directory.path()).string();
    if (entry.is_regular_file() && !name.starts_with("state/")) files[name] = content(entry.path().string());
  }
  return files;
}

}  // namespace regard::tests
