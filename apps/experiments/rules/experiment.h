#pragma once

#include <string>
#include <vector>

#include "apps/experiments/measures/job.h"
#include "apps/experiments/rules/rule.h"
#include "apps/translation/files/json.h"

namespace regard::experiments {

inline constexpr Index most_seeds = 1000;

/// One of the things that an experiment compares.
struct Variant {
  std::string name;
  std::vector<std::string> settings = {};  ///< in which it differs: "model.norm=pre"
  Task task = {};
  std::vector<MeasureCall> measure = {};  ///< those of the experiment, with the options of the variant
};

/// One setting, and the values that are tried for each variant, in rising order.
struct Tuning {
  std::string setting = {};  ///< "": nothing is tried
  std::vector<double> values = {};
};

/// A column of the table: a number of each variant, or a text of its first seed.
struct Column {
  std::string measurement;
  std::string title = {};  ///< what the measurement is; it stands before its name
  Index index = 0;
  int decimals = 1;  ///< below 0: 1.2e-07
};

/// A picture. With `at`, each variant is a curve in a band, the interval of its mean. Otherwise it is a row
/// of points, one for each seed, with the interval of their mean. Marks of the rule stand in both.
struct Figure {
  std::string measurement, y;  ///< y and x are the labels of the axes
  Index index = 0;             ///< the entry that rows show
  std::string x = {};
  std::vector<double> at = {};
  bool x_logarithmic = false, y_logarithmic = false;
  bool map = false;  ///< of weights [words of the text "reference"][words of "source"], first seed
  std::vector<std::string> variants = {};  ///< those that are shown; empty: all
  std::string axis = {};                   ///< figures of one axis share its ends; empty: the measurement
  std::string line = {};                   ///< name of a curve that is no variant, such as "20 / letters"
  std::vector<double> line_at = {};        ///< its numbers, one for each place
};

/// A claim, and how it is decided. claims/ has a file for each.
struct Experiment {
  std::string id;                          ///< "A1"
  std::string claim;                       ///< one sentence
  std::string source;                      ///< who says so
  std::string published;                   ///< the number in the paper; "": there is none
  std::string method;                      ///< what is done here
  std::string means;                       ///< what a reader learns from the results; written after the run
  double minutes = 0;                      ///< on two processors with all seeds
  bool alone = false;                      ///< it measures time, so its jobs run one after another
  bool takes_corpus = false;               ///< --corpus and --set
  Index seeds = 8;                         ///< 1 if nothing in it is random
  std::vector<std::string> settings = {};  ///< of all trainings; those of the variant are stronger
  std::vector<Variant> variants;
  Tuning tuning = {};
  Rule rule;                 ///< how the verdict follows from the numbers; written before the run
  std::string text_of = {};  ///< the id of the claim that this experiment decides on real text
  std::string before = {};   ///< an earlier verdict of the book, and why it was wrong
  std::vector<Column> columns;
  std::vector<Figure> figures;
};

/// Reads an experiment. `name` is for messages. Throws Error that says which key is missing, unknown or
/// wrong, and for variants and measures that do not exist.
Experiment read_experiment(const translation::Json& json, const std::string& name);

/// True if a measure of the experiment trains models.
bool trains(const Experiment& experiment);

}  // namespace regard::experiments
