#pragma once

#include <span>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/training/progress.h"
#include "autograd/index.h"

namespace regard::translation {

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
