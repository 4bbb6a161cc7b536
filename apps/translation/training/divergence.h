#pragma once

#include <string_view>

#include "autograd/real.h"

namespace regard::translation {

/// The advice against a training that diverges.
inline constexpr std::string_view against_divergence =
    "set a lower learning_rate (with schedule noam it is a factor), more warmup_steps or a "
    "gradient_clip_norm, and train in another directory or with --overwrite";

/// Warns of a training that diverges, once.
class DivergenceWarning {
 public:
  /// `vocabulary`: entries of the target vocabulary.
  explicit DivergenceWarning(Index vocabulary) : vocabulary_(vocabulary) {}

  /// Warns if the loss per target token is more than 2 log V. A model that gives each of the V tokens the
  /// same probability has the loss log V, with and without label smoothing, and an untrained model is near
  /// it. `what`: "training loss" or "validation loss".
  void look_at(Index step, std::string_view what, double loss);

 private:
  Index vocabulary_;
  bool warned_ = false;
};

}  // namespace regard::translation
