#pragma once

#include <string>
#include <vector>

#include "autograd/real.h"
#include "tests/program/support/small_model.h"

namespace regard::tests {

/// A training with dropout, a moving average and checkpoints. It saves after each step, so that many kills
/// hit a save.
std::vector<std::string> eventful(const std::string& out, const std::vector<std::string>& more = {});

/// A directory in which this training has ended. It is made once; do not change it.
const std::string& undisturbed_model();

/// Checks that two directories have the same results. Times may differ.
void check_same_results(const std::string& model, const std::string& undisturbed);

/// The step of the newest state; -1 if there is none.
Index newest_step(const std::string& model);

/// True if a file below the directory is being written, or was when the program was killed.
bool in_the_middle_of_a_save(const std::string& directory);

}  // namespace regard::tests
