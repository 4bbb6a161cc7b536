#pragma once

#include <span>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "autograd/real.h"

namespace regard::translation {

// The choice of the checkpoints to keep. KeptWeights (kept_weights.h) writes and removes their files.

/// The step of some kept weights, and their score on the validation corpus.
struct Checkpoint {
  Index step = 0;
  double score = 0;  ///< measured by the metric that compares validations
};

/// True if `score` is better than `other`: a lower loss, a higher BLEU or exact match.
bool better(ValidationMetric metric, double score, double other);

/// Return the steps of the `count` best, or last, checkpoints in ascending order. If two scores are equal,
/// the earlier checkpoint is better.
std::vector<Index> best_of(std::span<const Checkpoint> checkpoints, Index count, ValidationMetric metric);
std::vector<Index> last_of(std::span<const Checkpoint> checkpoints, Index count);

/// Returns the checkpoints that the settings keep: the last ones and the best ones.
std::vector<Checkpoint> checkpoints_to_keep(std::span<const Checkpoint> checkpoints,
                                            const CheckpointSettings& settings, ValidationMetric metric);

}  // namespace regard::translation
