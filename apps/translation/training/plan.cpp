#include "apps/translation/training/plan.h"

#include <algorithm>
#include <cmath>

namespace regard::translation {

namespace {

/// The updates until the first of the limits on steps, tokens and epochs; 0: there is none.
Index steps_to_limits(const TrainingSettings& settings, const Progress& progress, Index steps_in_epoch,
                      Index epoch_tokens) {
  // In floating point, because a user may give a very large limit in order to train without an end.
  constexpr auto none = static_cast<double>(most_counted);
  double planned = none;
  // Applies one limit. Of `wanted` units, `done` are done at step `now`; each further unit takes
  // `steps_for_each` steps.
  const auto limit = [&](Index wanted, Index done, double steps_for_each, Index now) {
    if (wanted <= 0) return;
    const double left = static_cast<double>(wanted) - static_cast<double>(done);
    planned = std::min(planned, static_cast<double>(now) + std::ceil(left * steps_for_each));
  };
  const auto epoch = static_cast<double>(steps_in_epoch), tokens = static_cast<double>(epoch_tokens);
  limit(settings.steps, progress.step, 1, progress.step);
  limit(settings.epoch_limit(), progress.epoch - 1, epoch, progress.step - progress.epoch_steps);
  limit(settings.tokens, progress.tokens, epoch / tokens, progress.step);
  return planned == none ? 0 : static_cast<Index>(planned);
}

}  // namespace

TrainingPlan::TrainingPlan(const Settings& settings, const Progress& progress, Index steps_in_epoch,
                           Index epoch_tokens)
    : settings_(settings.training),
      progress_(progress),
      steps_(steps_to_limits(settings_, progress, steps_in_epoch, epoch_tokens)) {
  const Index steps_of_epochs =  // until the limit on epochs
      progress.step - progress.epoch_steps + (settings_.epoch_limit() - progress.epoch + 1) * steps_in_epoch;
  schedule_ = {.schedule = settings_.schedule,
               .learning_rate = settings_.rate(),
               .warmup_steps = settings_.warmup_steps,
               .d_model = settings.model.config.d_model,
               .steps = settings_.steps > 0 ? settings_.steps : steps_of_epochs,
               .minimum = settings_.minimum_learning_rate};
}

Index TrainingPlan::steps(double step_seconds) const {
  if (settings_.minutes <= 0 || step_seconds <= 0) return steps_;
  const double left = std::ceil((60 * settings_.minutes - progress_.seconds) / step_seconds);
  const auto steps =
      progress_.step + static_cast<Index>(std::clamp(left, 0.0, static_cast<double>(most_counted)));
  return steps_ > 0 ? std::min(steps_, steps) : steps;
}

double TrainingPlan::learning_rate(Index step) const {
  nn::ScheduleSettings schedule = schedule_;
  schedule.reduction = std::pow(settings_.plateau_factor, progress_.rate_reductions);
  return nn::learning_rate(schedule, step);
}

}  // namespace regard::translation
