#pragma once

#include <string>
#include <vector>

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

  /// Called after each validation with its translations. Looks once: from the third validation on, when the
  /// warm-up and 100 updates are over, because a model learns first which words are frequent. Warns if it
  /// ignores its source: all translations are alike, or the loss of some pairs is hardly better than with the
  /// source of the next pair.
  void of_unused_source(const std::vector<std::string>& translations);

 private:
  const Training& training_;
  bool warned_of_divergence_ = false;
  Index validations_ = 0;
  bool looked_at_source_ = false;
};

}  // namespace regard::translation
