#pragma once

#include <optional>
#include <string>

#include "apps/bench/training.h"
#include "apps/regard/command_line.h"

namespace regard::program {

/// Adds --threads. Without the option, the program uses all processors or the number in OMP_NUM_THREADS.
void add_threads(const Command& command, std::optional<int>& threads);

/// Sets the number of threads if --threads was given.
void set_given_threads(const std::optional<int>& threads);

/// Adds --weights.
void add_weights(const Command& command, std::string& weights);

/// Adds the options that describe the training steps of `bench train` and `profile train`.
void add_training(const Command& command, bench::TrainingSettings& settings);

}  // namespace regard::program
