#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/experiments/experiment.h"
#include "apps/experiments/task.h"

namespace regard::experiments {

/// One variant with one seed while it is measured. The corpus, the trained model and its translations are
/// made when a measure asks for them first.
class Trial {
 public:
  Trial(const Experiment& experiment, const Job& job);

  const Experiment& experiment;
  const Job& job;
  const Task task;
  Measurements measured;
  std::map<std::string, std::string> texts;  ///< Results::Run::texts

  const toys::Corpus& corpus();
  /// Trained on the corpus with the settings of the experiment. The measurements of the training
  /// (Trained::training) are added to `measured`.
  Trained& trained();
  /// The same with further settings, which are stronger; nothing is added to `measured`.
  Trained trained_with(const std::vector<std::string>& further);
  const Pairs& test() { return corpus().test; }
  /// Of the test pairs, with the beam of the task.
  const Translations& translations();
  /// The first one of an option of this measure, or another number if it is not given.
  double option(const std::string& name, double otherwise) const;
  /// All numbers of an option. Throws Error if it is not given.
  const std::vector<double>& options(const std::string& name) const;

  /// Calls a measure.
  void measure(const MeasureCall& call);

 private:
  const MeasureCall* call_ = nullptr;
  std::optional<toys::Corpus> corpus_;
  std::optional<Trained> trained_;
  std::optional<Translations> translations_;
};

/// All measures of an experiment, for one job.
Results::Run measure(const Experiment& experiment, const Job& job);

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

/// All of them.
const std::vector<Measure>& all_measures();

/// Returns at most `most` pairs, the first ones, whose sources have `from` to `from` + `width` - 1 words.
Pairs with_words(const Pairs& pairs, Index from, Index width, Index most);

/// Throws Error that contains `name` if there is no such measure.
const Measure& find_measure(const std::string& measure, const std::string& name);

}  // namespace regard::experiments
