#pragma once

#include <span>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/progress.h"
#include "autograd/index.h"

namespace regard::translation {

/// The setting whose limit is reached: steps, tokens, epochs or patience; null if none is. An epoch counts
/// once the next has begun, or with the last of its `steps_in_epoch` updates, where that is given.
const char* reached_limit(const Settings& settings, const Progress& progress, Index steps_in_epoch = 0);

/// The updates until the limits of steps, tokens and epochs, whichever comes first, if all epochs from this
/// one on are like it: `lengths` are those of its pairs. 0 if there is none of these limits; nobody knows
/// when patience will end.
Index planned_steps(const TrainingSettings& settings, const Progress& progress, Index steps_in_epoch,
                    std::span<const PairLength> lengths);

}  // namespace regard::translation
