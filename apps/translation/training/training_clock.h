#pragma once

#include <chrono>

#include "apps/translation/training/progress.h"

namespace regard::translation {

/// Measures the time of a training. Progress::seconds is the sum over all runs of the program for this
/// training. The speed counts only this run, because earlier runs may have used another machine.
class TrainingClock {
 public:
  /// Begins a run that continues from this progress.
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
  /// Returns the seconds per step in this run, with the time of its validations.
  double step_seconds(const Progress& progress) const {
    return (progress.seconds - first_seconds_) / static_cast<double>(progress.step - first_step_);
  }

 private:
  std::chrono::steady_clock::time_point counted_;  ///< Progress::seconds contains the time until here
  Index first_step_ = 0;
  double first_seconds_ = 0;
};

}  // namespace regard::translation
