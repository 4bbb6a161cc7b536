#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apps/bench/training.h"
#include "apps/regard/command_line.h"

namespace regard::program {

/// Adds the subcommand `train` to `bench` or `profile`. It measures training steps.
void add_training(const Command& parent, const std::string& description, const std::string& footer,
                  void (*measure)(const bench::TrainingSettings&),
                  const std::function<void(const Command&, bench::TrainingSettings&)>& add_options = {});

/// Throws Error if a prediction of other numbers of threads (profile --scaling) is given a number itself.
void check_scaling(bool scaling, const std::optional<int>& threads);

}  // namespace regard::program
