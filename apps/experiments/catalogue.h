#pragma once

#include <span>
#include <string>

#include "apps/experiments/experiment.h"

namespace regard::experiments {

/// A chapter of the book: its letter and its title.
struct Chapter {
  char letter;
  const char* title;
};
std::span<const Chapter> chapters();

/// All experiments in the order of the book. To add one, write a function that returns it, and list it in
/// catalogue.cpp.
const std::vector<Experiment>& all_experiments();

/// Throws Error for an unknown name, and lists the known ones.
const Experiment& find_experiment(const std::string& id);

}  // namespace regard::experiments
