#pragma once

#include <span>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "autograd/index.h"

namespace regard::translation {

/// The step of weights that are kept, and their score on the validation corpus.
struct Checkpoint {
  Index step = 0;
  double score = 0;  ///< by the metric that compares validations
};

/// Whether a score is better than another: a lower loss, a higher BLEU or exact match.
bool better(ValidationMetric metric, double score, double other);

/// The steps of the `count` best, or last, checkpoints, ascending. Of equal scores the earlier counts as
/// better.
std::vector<Index> best_of(std::span<const Checkpoint> checkpoints, Index count, ValidationMetric metric);
std::vector<Index> last_of(std::span<const Checkpoint> checkpoints, Index count);

/// Those of `checkpoints` that the settings say to keep: the last ones and the best ones.
std::vector<Checkpoint> kept(std::span<const Checkpoint> checkpoints, const CheckpointSettings& settings,
                             ValidationMetric metric);

}  // namespace regard::translation
