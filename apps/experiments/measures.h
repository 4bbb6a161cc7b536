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
  const char* options = "";  ///< their names, with blanks between them
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

/// Returns at most `most` pairs, the first ones, whose sources have `from` to `from` + `width` - 1 words.
Pairs with_words(const Pairs& pairs, Index from, Index width, Index most);

/// Throws Error that contains `name` if there is no such measure.
const Measure& find_measure(const std::string& measure, const std::string& name);

}  // namespace regard::experiments
