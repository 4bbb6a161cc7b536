#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "autograd/real.h"

namespace regard::experiments {

/// Numbers that a job measured, by name. A single number is a list of one.
using Measurements = std::map<std::string, std::vector<double>>;

/// One of the things that an experiment compares.
struct Variant {
  std::string name;
  std::vector<std::string> settings = {};  ///< in which it differs: "model.norm=pre"
};

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

/// The mean over the seeds, and the least and the greatest.
struct Range {
  double mean = 0, least = 0, most = 0;
};

/// All measurements of an experiment.
class Results {
 public:
  struct Run {
    Index seed;
    Measurements measurements;
  };
  struct OfVariant {
    std::string name;
    std::string tuned = {};  ///< the settings that the tuning chose, "" without a tuning
    std::vector<Run> runs = {};
  };
  std::vector<OfVariant> variants = {};
  bool quick = false;
  double minutes = 0;  ///< of a processor, for all jobs

  /// Entry `index` of a measurement of this variant over the seeds. Throws Error if there is none.
  Range range(const std::string& variant, const std::string& measurement, Index index = 0) const;
  double mean(const std::string& variant, const std::string& measurement, Index index = 0) const {
    return range(variant, measurement, index).mean;
  }
  /// The number of entries of a measurement.
  Index entries(const std::string& variant, const std::string& measurement) const;
  const OfVariant& of(const std::string& variant) const;
};

/// True if all seeds of `a` lie above all seeds of `b`: a difference that counts.
inline bool above(const Range& a, const Range& b) { return a.least > b.most; }

enum class Verdict { holds, holds_in_part, does_not_hold, cannot_be_decided };
const char* to_string(Verdict verdict);

/// A verdict and the numbers from which it follows.
struct Decision {
  Verdict verdict;
  std::string because;  ///< one or two sentences
};

/// A column of the table: a number of each variant.
struct Column {
  std::string title, measurement;
  int decimals = 1;  ///< below 0: 1.2e-07
  Index index = 0;
};

/// A picture. With `x`, each variant is a curve with a band from the least to the greatest seed; otherwise a
/// bar from zero to its mean, with a line from the least to the greatest.
struct Figure {
  std::string title, measurement, y_label;
  std::string x_label = {};
  std::vector<double> x = {};
  bool x_logarithmic = false, y_logarithmic = false;
  std::vector<std::string> variants = {};  ///< those that are shown; empty: all
};

/// A claim, and how it is decided.
struct Experiment {
  std::string id;         ///< "A1"
  std::string claim;      ///< one sentence
  std::string source;     ///< who says so
  std::string published;  ///< the number in the paper; "": there is none
  std::string method;     ///< what is done here
  std::string rule;       ///< how the verdict follows from the numbers; written before the run
  double minutes;         ///< on two processors with three seeds
  bool alone = false;     ///< it measures time, so its jobs run one after another
  bool takes_corpus = false;
  Index seeds = 3;  ///< 1 if nothing in it is random
  std::vector<Variant> variants;
  /// Settings that are tried with the first seed of each variant. All seeds then have those with the least
  /// "validation_loss". Empty: nothing is tried.
  std::vector<std::vector<std::string>> tuning = {};
  std::function<Measurements(const Job&)> run;
  std::function<Decision(const Results&)> decide;
  std::vector<Column> columns;
  std::vector<Figure> figures;
};

}  // namespace regard::experiments
