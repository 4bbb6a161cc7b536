#pragma once

#include <span>
#include <vector>

#include "apps/translation/progress.h"
#include "apps/translation/settings.h"

namespace regard::translation {

/// Whether a score is better than another: a lower loss, a higher BLEU or exact match.
bool better(ValidationMetric metric, double score, double other);

/// The steps of the `count` best, or last, checkpoints, ascending. Of equal scores the earlier counts as
/// better.
std::vector<std::int64_t> best_of(std::span<const Checkpoint> checkpoints, std::int64_t count,
                                  ValidationMetric metric);
std::vector<std::int64_t> last_of(std::span<const Checkpoint> checkpoints, std::int64_t count);

/// Those of `checkpoints` that the settings say to keep: the last ones and the best ones.
std::vector<Checkpoint> kept(std::span<const Checkpoint> checkpoints, const CheckpointSettings& settings,
                             ValidationMetric metric);

}  // namespace regard::translation
