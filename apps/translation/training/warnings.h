#pragma once

#include <string>
#include <vector>

#include "apps/translation/training/plan.h"
#include "apps/translation/training/training.h"

namespace regard::translation {

/// Warns of a training that goes wrong, once for each reason, on standard error.
class TrainingWarnings {
 public:
  /// The training must outlive this object.
  explicit TrainingWarnings(const Training& training) : training_(training) {}

  /// Warns if the loss per target token is more than 2 log V. A model that gives each of the V tokens the
  /// same probability has the loss log V, with and without label smoothing, and an untrained model is near
  /// it.
  void of_divergence(const char* what, double loss);

  /// Called after each step. Looks when a line of the log is due: at the loss, and at the warm-up, which a
  /// limit on minutes may end, once the speed is known.
  void after_step(const StepReport& report, const TrainingPlan& plan);

  /// Warns before the first step if BLEU would compare whole phrases, because the references have no blanks.
  void of_references() const;

  /// Warns if the training ends in the warm-up, as far as the plan knows: then the learning rate rises until
  /// the last step and never reaches its peak.
  void of_long_warmup(const TrainingPlan& plan, double step_seconds = 0);

  /// Called after each validation with its translations. Looks once: from the third validation on, when the
  /// warm-up and 100 updates are over, because a model learns first which words are frequent. Warns if it
  /// ignores its source: all translations are alike, or the loss of some pairs is hardly better than with the
  /// source of the next pair.
  void of_unused_source(const std::vector<std::string>& translations);

 private:
  const Training& training_;
  bool warned_of_divergence_ = false, warned_of_long_warmup_ = false;
  Index validations_ = 0;
  bool looked_at_source_ = false;
};

}  // namespace regard::translation
