#pragma once

#include "autograd/index.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// The learning rate as a function of the step, which counts from 1.
enum class Schedule {
  noam,          ///< factor / sqrt(d_model) min(1/sqrt(step), step / warmup^1.5), Vaswani et al. 2017, eq. 3
  inverse_sqrt,  ///< rises linearly to the peak over the warm-up, then falls as 1/sqrt(step)
  cosine,        ///< rises as inverse_sqrt, then falls along half a cosine, Loshchilov and Hutter 2017, eq. 5
  constant       ///< the same at every step
};

struct ScheduleSettings {
  Schedule schedule = Schedule::noam;
  /// With noam the factor, with the others the peak.
  double learning_rate = 1;
  Index warmup_steps = 4000;
  /// Used by noam alone.
  Index d_model = 512;
  /// Used by cosine alone: the last step, and the learning rate at that step.
  Index steps = 0;
  double minimum = 0;
};

/// The learning rate of a step, which counts from 1. Throws Error for inverse_sqrt without warm-up and for
/// cosine without steps after the warm-up.
double learning_rate(const ScheduleSettings& settings, Index step);

}}}  // namespace regard::REGARD_PRECISION::nn
