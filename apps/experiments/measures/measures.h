#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/experiments/measures/task.h"

namespace regard::experiments {

/// One job while it is measured. The corpus, the trained model and its translations are made when a measure
/// asks for them first.
class Trial {
 public:
  explicit Trial(const Job& of) : job(of), task(of.task) {}

  const Job& job;
  const Task& task;
  Measurements measured;                     ///< by the measure that runs now
  std::map<std::string, std::string> texts;  ///< Results::Run::texts

  const toys::Corpus& corpus();
  /// Trained on the corpus. A kept model of the same job is read from its directory instead.
  Trained& trained();
  /// Trained for so many steps alone. After 1 the weights are nearly the first ones.
  Trained trained_for(Index steps);
  const Pairs& test() { return corpus().test; }
  /// The first of them, 100 or as many as the option "pairs" says.
  translation::ParallelCorpus first_pairs();
  /// Of the test pairs, with the beam of the task.
  const Translations& translations();
  /// The first one of an option of this measure, or another number if it is not given.
  double option(const std::string& name, double otherwise) const;
  /// All numbers of an option. Throws Error if it is not given.
  const std::vector<double>& options(const std::string& name) const;

  /// Calls a measure. Throws Error if it has no finite number for all its names.
  Measured measure(const MeasureCall& call);

 private:
  const MeasureCall* call_ = nullptr;
  std::optional<toys::Corpus> corpus_;
  std::optional<Trained> trained_;
  std::optional<Translations> translations_;
};

/// The "validation_loss" of a training of the tuning that diverged: its setting is not chosen.
inline constexpr double diverged_loss = 1e9;

/// All measures of a job.
std::vector<Measured> measure(const Job& job);

/// The models of a measure: the trained one of the job, which is shared by its measures; some that it trains
/// itself; or none.
enum class Model { trained, own, none };

/// A measure that the file of an experiment can name. To add one, write its function, and list it at the end
/// of the .cpp in which it stands.
struct Measure {
  const char* name;
  const char* measurements;  ///< their names, with blanks between them
  const char* adds;          ///< what they are, for `regard experiment --measures`
  void (*run)(Trial& trial);
  const char* options = "";  ///< their names, with blanks between them
  Model model = Model::trained;
  const char* texts = "";  ///< the names of the texts that it adds
};

/// The words of a text with blanks between them.
std::vector<std::string> words(const std::string& list);

/// The names of what a measure adds, its measurements and texts.
std::vector<std::string> names_of(const MeasureCall& call);

std::vector<Measure> measures_of_quality();
std::vector<Measure> measures_of_context();
std::vector<Measure> measures_of_pronouns();
std::vector<Measure> measures_of_weights();
std::vector<Measure> measures_of_explanation();
std::vector<Measure> measures_of_gradients();
std::vector<Measure> measures_of_rows();
std::vector<Measure> measures_of_maps();
std::vector<Measure> measures_of_time();
std::vector<Measure> measures_of_search();
std::vector<Measure> measures_of_costs();

/// All of them.
const std::vector<Measure>& all_measures();

/// Returns at most `most` pairs, the first ones, whose sources have `from` to `from` + `width` - 1 words.
Pairs with_words(const Pairs& pairs, Index from, Index width, Index most);

/// The median of the milliseconds that `work` takes, over some calls after a first one that does not count.
double milliseconds(Index calls, const std::function<void()>& work);

double mean(const std::vector<double>& values);

/// The decoder's weights of each pair, [target tokens, source tokens], both with </s>: last layer, mean over
/// the heads.
std::vector<Tensor> source_weights(Trained& trained, const translation::ParallelCorpus& corpus);

/// The slope of the line through (log x, log y): the exponent of a power law.
double exponent(const std::vector<double>& x, const std::vector<double>& y);

/// Throws Error that contains `name` if there is no such measure.
const Measure& find_measure(const std::string& measure, const std::string& name);

}  // namespace regard::experiments
