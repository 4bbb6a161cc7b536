#pragma once

#include <cstdint>
#include <span>

#include "apps/translation/batching.h"
#include "apps/translation/progress.h"
#include "apps/translation/settings.h"

namespace regard::translation {

/// The setting whose limit is reached: steps, tokens, epochs or patience; null if none is.
const char* reached_limit(const Settings& settings, const Progress& progress);

/// The updates until the limits of steps, tokens and epochs, whichever comes first; 0 if there is none of
/// them. Nobody knows when patience will end.
std::int64_t planned_steps(const TrainingSettings& settings, std::int64_t steps_in_epoch,
                           std::span<const PairLength> lengths);

}  // namespace regard::translation
