#pragma once

#include <vector>

#include "apps/experiments/measure.h"

namespace regard::experiments {

/// A measure that the file of an experiment can name. To add one, write its function, and list it at the end
/// of the .cpp in which it stands.
struct Measure {
  const char* name;
  const char* adds;  ///< for `regard experiment --measures`
  void (*run)(Trial& trial);
};

std::vector<Measure> measures_of_quality();
std::vector<Measure> measures_of_weights();
std::vector<Measure> measures_of_explanation();
std::vector<Measure> measures_of_gradients();
std::vector<Measure> measures_of_rows();
std::vector<Measure> measures_of_time();
std::vector<Measure> measures_of_search();
std::vector<Measure> measures_of_images();

/// All of them.
const std::vector<Measure>& all_measures();

}  // namespace regard::experiments
