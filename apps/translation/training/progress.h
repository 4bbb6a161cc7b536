#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/translation/files/json.h"
#include "apps/translation/training/checkpoints.h"
#include "apps/translation/training/window.h"
#include "autograd/index.h"

namespace regard::translation {

/// How far a training has come: all that its further course and its log depend on, besides weights, averages
/// and the optimiser's moments. Random numbers and the order of the data are functions of seed, step and
/// epoch, so they need no state of their own.
struct Progress {
  Index step = 0;         ///< updates so far
  Index epoch = 1;        ///< the one that is running
  Index epoch_steps = 0;  ///< updates so far in it
  Index tokens = 0;       ///< source and target so far, </s> counted
  double seconds = 0;     ///< of all that was done for it
  Window window;

  Index validated_step = 0;
  std::optional<Checkpoint> best;         ///< whose weights, or mean of weights, are in weights.safetensors
  std::optional<double> best_validation;  ///< the best score of a step's own weights: for the patience
  Index without_best = 0;                 ///< validations since that
  std::vector<Checkpoint> kept;           ///< in checkpoints/, in the order of their steps
  bool finished = false;

  /// Bytes of the logs. What stands behind them belongs to steps that are taken again.
  Index metrics_bytes = 0, log_bytes = 0;
};

Json to_json(const Progress& progress);
/// Throws Error naming `name` if this is no progress.
Progress parse_progress(const Json& json, const std::string& name);

}  // namespace regard::translation
