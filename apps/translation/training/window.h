#pragma once

#include "autograd/real.h"

namespace regard::translation {

/// Sums over the updates since the last line of the log.
struct Window {
  Index steps = 0;
  Index tokens = 0;    ///< source and target, </s> counted
  double loss = 0;     ///< with label smoothing, of each step the mean over its target tokens
  double seconds = 0;  ///< without validations

  void add(Index step_tokens, double step_loss, double step_seconds) {
    ++steps;
    tokens += step_tokens;
    loss += step_loss;
    seconds += step_seconds;
  }
  double mean_loss() const { return loss / static_cast<double>(steps); }
};

}  // namespace regard::translation
