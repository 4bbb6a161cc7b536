#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/experiments/rules/experiment.h"

namespace regard::experiments {

/// A chapter of the book: its letter and its title.
struct Chapter {
  char letter;
  const char* title;
};
std::span<const Chapter> chapters();

/// All experiments of the book in its order: the files of claims/, which are part of the program.
const std::vector<Experiment>& all_experiments();

/// "A1" is one experiment, "A" a chapter, "all" the book, each without the claims on real text, and
/// "mine.json" an experiment of the user. Throws Error for an unknown name, and lists the known ones.
std::vector<Experiment> find_experiments(const std::string& name);

}  // namespace regard::experiments
