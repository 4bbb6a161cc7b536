#pragma once

#include <chrono>

#include "apps/translation/training/progress.h"

namespace regard::translation {

/// Measures the time of a training. Progress::seconds is the sum over all runs of the program that the
/// training took. The speed is that of this run alone, because the earlier ones may have had another machine.
class TrainingClock {
 public:
  /// Begins a run that goes on from this progress.
  void start(const Progress& progress) {
    counted_ = std::chrono::steady_clock::now();
    first_step_ = progress.step;
    first_seconds_ = progress.seconds;
  }
  /// Adds the time since the last call to progress.seconds.
  void count(Progress& progress) {
    const auto now = std::chrono::steady_clock::now();
    progress.seconds += std::chrono::duration<double>(now - counted_).count();
    counted_ = now;
  }
  /// Seconds per step in this run, with the steps' share of the validations.
  double step_seconds(const Progress& progress) const {
    return (progress.seconds - first_seconds_) / static_cast<double>(progress.step - first_step_);
  }

 private:
  std::chrono::steady_clock::time_point counted_;  ///< the time up to here is in the progress
  Index first_step_ = 0;
  double first_seconds_ = 0;
};

}  // namespace regard::translation
