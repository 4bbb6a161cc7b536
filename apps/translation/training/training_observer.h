#pragma once

#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/translator/evaluation.h"
#include "autograd/machine/real.h"

// What a training tells while it runs. Derive from TrainingObserver to listen.

namespace regard::translation {

/// Sums over the updates since the last line of the log.
struct Window {
  Index steps = 0;
  Index tokens = 0;    ///< source and target, </s> counted
  double loss = 0;     ///< with label smoothing, of each step the mean over its target tokens
  double seconds = 0;  ///< without validations

  double mean_loss() const { return loss / static_cast<double>(steps); }  ///< of a step
};

/// One update of the weights.
struct StepReport {
  Index step, epoch;
  Index planned_steps;  ///< expected updates of the whole training; 0 if unknown
  double learning_rate;
  double gradient_norm;  ///< before clipping
  double total_seconds;  ///< duration of the training so far, with its validations
  double step_seconds;   ///< mean seconds per step in this run of the program, with its validations
  Window window;         ///< the steps since the last line of the log, with this one
  bool line_due;         ///< the next line of the log is due
};

/// The results of a model on the validation corpus.
struct Validation {
  Evaluation evaluation;
  Bleu bleu;
  std::vector<std::string> translations;  ///< as plain text
};

struct ValidationReport {
  Index step, epoch;
  Validation validation = {};
  double total_seconds = 0;  ///< duration of the training so far
  bool best = false;         ///< better than all validations before; its weights were saved
  Index averaged = 0;        ///< the mean of this number of checkpoints; 0: the weights of this step
  Index patience_left =
      -1;  ///< further validations without a better one that stop the training; -1: no limit
};

/// Receives the events of a training, to print or log them. A function that you do not override does nothing.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_step(const StepReport& /*report*/) {}              ///< after each update of the weights
  virtual void on_validation(const ValidationReport& /*report*/) {}  ///< after each validation
};

}  // namespace regard::translation
