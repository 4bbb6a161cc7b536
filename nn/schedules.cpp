#include "nn/schedules.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace regard::inline REGARD_PRECISION::nn {

double learning_rate(const ScheduleSettings& settings, std::int64_t step) {
  const auto t = static_cast<double>(step), warmup = static_cast<double>(settings.warmup_steps);
  switch (settings.schedule) {
    case Schedule::noam:
      return settings.learning_rate / std::sqrt(static_cast<double>(settings.d_model)) *
             std::min(1 / std::sqrt(t), t / std::pow(warmup, 1.5));
    case Schedule::inverse_sqrt:
      return settings.learning_rate * std::min(t / warmup, std::sqrt(warmup / t));
    case Schedule::cosine: {
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

}  // namespace regard::inline REGARD_PRECISION::nn
