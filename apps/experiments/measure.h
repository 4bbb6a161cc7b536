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

}  // namespace regard::experiments
