#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "apps/experiments/rule.h"
#include "apps/translation/files/json.h"

namespace regard::experiments {

inline constexpr Index most_seeds = 1000;

/// What a model learns.
struct Task {
  std::string toy = "sentences";    ///< a toy of `regard toy`
  std::vector<Index> letters = {};  ///< least and most, for the toys copy, reverse and recall
  Index words = 0;                  ///< most words of the toy sentences; 0: sentences of one clause
  std::int64_t train = 20000, validation = 100, test = 400;  ///< pairs
  Index cut_every = 0;  ///< noise: so many training targets apart, one ends after half of its words
  Index beam = 1;       ///< of the translations of the test pairs
};

/// One of the things that an experiment compares.
struct Variant {
  std::string name;
  std::vector<std::string> settings = {};  ///< in which it differs: "model.norm=pre"
  Task task = {};
};

/// A column of the table: a number of each variant, or a text of its first seed.
struct Column {
  std::string measurement;
  std::string title = {};  ///< empty: the words of the measurement
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

/// A measure of measures.h, and what it is told.
struct MeasureCall {
  std::string name;
  std::map<std::string, std::vector<double>> options = {};
};

/// A claim, and how it is decided. claims/ has a file for each.
struct Experiment {
  std::string id;                          ///< "A1"
  std::string claim;                       ///< one sentence
  std::string source;                      ///< who says so
  std::string published;                   ///< the number in the paper; "": there is none
  std::string method;                      ///< what is done here
  std::string means;                       ///< what a reader learns from the results; written after the run
  double minutes = 0;                      ///< on two processors with three seeds
  bool alone = false;                      ///< it measures time, so its jobs run one after another
  bool takes_corpus = false;               ///< --corpus and --set
  Index seeds = 8;                         ///< 1 if nothing in it is random
  std::vector<std::string> settings = {};  ///< of all trainings; those of the variant are stronger
  std::vector<Variant> variants;
  /// Settings that are tried with the first seed of each variant. All seeds then have those with the least
  /// "validation_loss". Empty: nothing is tried.
  std::vector<std::vector<std::string>> tuning = {};
  std::vector<MeasureCall> measure;
  Rule rule;                 ///< how the verdict follows from the numbers; written before the run
  Names names;               ///< of measurements, for the text
  std::string text_of = {};  ///< the id of the claim that this experiment decides on real text
  std::string before = {};   ///< an earlier verdict of the book, and why it was wrong
  std::vector<Column> columns;
  std::vector<Figure> figures;
};

/// Reads an experiment. `name` is for messages. Throws Error that says which key is missing, unknown or
/// wrong, and for variants and measures that do not exist.
Experiment read_experiment(const translation::Json& json, const std::string& name);

/// All that the file of an experiment says of them, and the defaults.
translation::Json to_json(const Task& task);
translation::Json to_json(const MeasureCall& call);

/// One variant with one seed. Jobs run side by side, each in a process of its own on one thread.
struct Job {
  std::string variant;
  std::vector<std::string> settings;  ///< of the variant, of the tuning, and then of the user
  Index seed = 1;
  bool quick = false;
  std::string directory;  ///< for its files; it exists
  std::string corpus;     ///< --corpus: a directory; "": the toy of the experiment

  /// A number of steps, sentences or repetitions: `all`, or with --quick at most `few`.
  Index many(Index all, Index few = 4) const { return quick && few < all ? few : all; }
};

}  // namespace regard::experiments
