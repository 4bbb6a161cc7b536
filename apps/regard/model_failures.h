#pragma once

#include <functional>
#include <string>

#include "autograd/index.h"

namespace regard::program {

/// Where a command takes its weights from, for messages: the file of --weights, or else the model directory.
inline const std::string& weights_of(const std::string& model, const std::string& weights) {
  return weights.empty() ? model : weights;
}

/// Throws Error: what the model computes with the weights from there is no longer a number.
[[noreturn]] void fail_astray(const std::string& weights);

/// Calls `work`, in which a model translates or scores. Throws Error as fail_astray does where it meets what
/// is no number, and one that advises to try `remedy` where memory runs out.
void run_model(const std::string& weights, const char* remedy, const std::function<void()>& work);

/// What to try where a search with this beam runs out of memory.
inline const char* search_remedy(Index beam) {
  return beam > 1 ? "a smaller --beam or shorter sentences" : "shorter sentences";
}

}  // namespace regard::program
