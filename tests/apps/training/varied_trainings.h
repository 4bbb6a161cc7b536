#pragma once

#include "tests/apps/training/small_training.h"

namespace regard::tests {

/// Each batch is cut into micro-batches.
inline SmallTraining divided_training(Index micro_batches) {
  SmallTraining training = eventful_training();
  training.settings.training.epochs = 2;
  training.settings.training.shards = micro_batches;
  training.settings.training.gradient_clip_norm = 0.5;
  return training;
}

/// The learning rate follows the validations.
inline SmallTraining on_a_plateau() {
  SmallTraining training = eventful_training();
  training.settings.training.schedule = regard::nn::Schedule::plateau;
  training.settings.training.warmup_steps = 2;
  training.settings.training.plateau_patience = 1;
  training.settings.training.log_every = 1;
  return training;
}

inline SmallTraining worse_on_a_plateau() {
  SmallTraining training = on_a_plateau();
  training.settings.training.learning_rate = 0.05;  // so that some validations are worse
  return training;
}

/// Pairs of one file come more often than those of another.
inline SmallTraining mixed_training() {
  SmallTraining training = eventful_training();
  training.data.mixture = {{.file = "a", .pairs = 20, .share = 0.5},
                           {.file = "b", .pairs = 40, .share = 1.25}};
  return training;
}

/// With scheduled sampling, which reaches this share after some steps.
inline SmallTraining sampled_training(double share, Index steps = 0) {
  SmallTraining training = eventful_training();
  training.settings.training.epochs = 2;
  training.settings.training.log_every = 1;
  training.settings.training.scheduled_sampling = share;
  training.settings.training.scheduled_sampling_steps = steps;
  return training;
}

}  // namespace regard::tests
