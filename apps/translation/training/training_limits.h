#pragma once

#include <span>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/progress.h"
#include "autograd/real.h"

namespace regard::translation {

/// Returns the name of the setting that ends the training now (steps, tokens, epochs or patience), or null.
/// An epoch counts when the next epoch has begun. If `steps_in_epoch` is given, it counts with the last of
/// these updates.
const char* reached_limit(const Settings& settings, const Progress& progress, Index steps_in_epoch = 0);

/// Estimates the number of updates in the whole training, from the first of the limits on steps, tokens and
/// epochs. It assumes that all further epochs are like this one; `lengths` are the lengths of its pairs.
/// Returns 0 without such a limit, because nobody can predict when the patience ends the training.
Index planned_steps(const TrainingSettings& settings, const Progress& progress, Index steps_in_epoch,
                    std::span<const PairLength> lengths);

}  // namespace regard::translation
