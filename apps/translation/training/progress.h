#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/translation/files/json.h"
#include "apps/translation/training/checkpoints.h"
#include "apps/translation/training/window.h"
#include "autograd/real.h"

namespace regard::translation {

/// The progress of a training. Together with the weights, their averages and the optimiser's moments, it
/// determines how the training and its log continue. Random numbers and the order of the data are functions
/// of seed, step and epoch, so they need no state of their own.
struct Progress {
  Index step = 0;         ///< updates so far
  Index epoch = 1;        ///< the present epoch
  Index epoch_steps = 0;  ///< updates so far in this epoch
  Index tokens = 0;       ///< source and target tokens so far, with </s>
  double seconds = 0;     ///< duration of the training so far, with its validations
  Window window;

  Index validated_step = 0;
  std::optional<Checkpoint> best;         ///< its weights, or a mean of weights, are in weights.safetensors
  std::optional<double> best_validation;  ///< best score of a single step's weights; the patience compares it
  Index without_best = 0;                 ///< validations since best_validation
  std::vector<Checkpoint> kept;           ///< in checkpoints/, in the order of their steps
  bool finished = false;

  /// Length of each log at this step. A resumed training truncates the logs to it.
  Index metrics_bytes = 0, log_bytes = 0;
};

Json to_json(const Progress& progress);
/// Throws Error that contains `name` if the JSON is not the progress of a training.
Progress parse_progress(const Json& json, const std::string& name);

}  // namespace regard::translation
