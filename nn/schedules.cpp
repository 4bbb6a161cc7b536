#include "nn/schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

double learning_rate(const ScheduleSettings& settings, Index step) {
  const auto t = static_cast<double>(step), warmup = static_cast<double>(settings.warmup_steps);
  switch (settings.schedule) {
    // factor / sqrt(d_model) min(1/sqrt(t), t / warmup^1.5)
    case Schedule::noam:
      return settings.learning_rate / std::sqrt(static_cast<double>(settings.d_model)) *
             std::min(1 / std::sqrt(t), t / std::pow(warmup, 1.5));
    // peak min(t / warmup, sqrt(warmup / t))
    case Schedule::inverse_sqrt:
      if (settings.warmup_steps < 1)
        fail("schedule inverse_sqrt with warmup_steps {}: it needs at least 1", settings.warmup_steps);
      return settings.learning_rate * std::min(t / warmup, std::sqrt(warmup / t));
    // peak t / warmup, then minimum + (peak - minimum) (1 + cos(pi (t - warmup) / (steps - warmup))) / 2
    case Schedule::cosine: {
      if (settings.steps <= settings.warmup_steps)
        fail("schedule cosine with warmup_steps {} and steps {}: it needs more steps than warm-up",
             settings.warmup_steps, settings.steps);
      if (t <= warmup) return settings.learning_rate * t / warmup;
      const double done = std::min(1.0, (t - warmup) / (static_cast<double>(settings.steps) - warmup));
      return settings.minimum +
             (settings.learning_rate - settings.minimum) * (1 + std::cos(std::numbers::pi * done)) / 2;
    }
    case Schedule::constant:
      break;
  }
  return settings.learning_rate;
}

}}}  // namespace regard::REGARD_PRECISION::nn
