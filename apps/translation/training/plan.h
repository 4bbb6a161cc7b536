#pragma once

#include "apps/translation/settings/settings.h"
#include "apps/translation/training/progress.h"
#include "nn/optimisers.h"

namespace regard::translation {

/// What is left of a training, as it looks in an epoch: its steps and their learning rates. It assumes that
/// all further epochs are like this one.
class TrainingPlan {
 public:
  /// Settings and progress must outlive the plan.
  TrainingPlan(const Settings& settings, const Progress& progress, Index steps_in_epoch, Index epoch_tokens);

  /// Estimates the number of updates in the whole training, from the first of the limits on steps, tokens and
  /// epochs, and on minutes if the seconds of a step are known. Returns 0 without such a limit, because
  /// nobody can predict when the patience ends the training.
  Index steps(double step_seconds = 0) const;

  /// The learning rate of a step. Schedule plateau has lowered it as often as the progress says.
  double learning_rate(Index step) const;

 private:
  const TrainingSettings& settings_;
  const Progress& progress_;
  Index steps_;  ///< without the limit on minutes
  nn::ScheduleSettings schedule_;
};

}  // namespace regard::translation
