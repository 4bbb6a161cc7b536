#pragma once

#include "apps/translation/training/validation.h"
#include "apps/translation/training/window.h"
#include "autograd/index.h"

namespace regard::translation {

/// One update of the weights.
struct StepReport {
  Index step, epoch;
  Index planned_steps;  ///< updates of the whole training as far as they are known; 0 if they are not
  double learning_rate;
  double gradient_norm;  ///< before clipping
  double total_seconds;  ///< of the training so far, with its validations
  double step_seconds;   ///< per step, with its share of the validations, since this run of the program began
  Window window;         ///< this step and those since the last line of the log
  bool line_due;         ///< the log wants its next line
};

struct ValidationReport {
  Index step, epoch;
  Validation validation = {};
  double total_seconds = 0;  ///< of the training so far
  bool best = false;         ///< better than all validations before; its weights were saved
  Index averaged = 0;  ///< the number of checkpoints whose mean was validated; 0: the weights of this step
  Index patience_left =
      -1;  ///< validations without a new best until the training stops; -1: it does not stop
};

/// Is told the events of a training, to show or log them. A function that you do not override does nothing.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_step(const StepReport& /*report*/) {}
  virtual void on_validation(const ValidationReport& /*report*/) {}
};

}  // namespace regard::translation
