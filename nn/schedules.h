#pragma once

#include "autograd/index.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// How the learning rate follows the step, which counts from 1.
enum class Schedule {
  noam,          ///< factor / sqrt(d_model) min(1/sqrt(step), step / warmup^1.5), Vaswani et al. 2017, eq. 3
  inverse_sqrt,  ///< rises linearly to the peak over the warm-up, then falls as 1/sqrt(step)
  cosine,        ///< rises as inverse_sqrt, then falls along half a cosine, Loshchilov and Hutter 2017, eq. 5
  constant       ///< the same at every step
};

struct ScheduleSettings {
  Schedule schedule = Schedule::noam;
  /// noam: the factor; the others: the peak.
  double learning_rate = 1;
  Index warmup_steps = 4000;
  /// Only noam looks at it.
  Index d_model = 512;
  /// Only cosine looks at these: the last step, and the learning rate that it has.
  Index steps = 0;
  double minimum = 0;
};

/// The learning rate of a step from 1 on. Throws Error for settings that make no schedule: inverse_sqrt
/// without warm-up, cosine without steps after it.
double learning_rate(const ScheduleSettings& settings, Index step);

}}}  // namespace regard::REGARD_PRECISION::nn
