#pragma once

#include <map>
#include <string>
#include <vector>

#include "autograd/machine/real.h"

namespace regard::experiments {

struct Experiment;

/// Numbers that a job measured, by name. A single number is a list of one.
using Measurements = std::map<std::string, std::vector<double>>;

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
    std::map<std::string, std::string> texts = {};  ///< what is not a number, such as a translation
    /// Entry `index` of a measurement. Throws Error if there is none.
    double value(const std::string& measurement, Index index = 0) const;
  };
  struct OfVariant {
    std::string name;
    std::string tuned = {};  ///< the setting that the tuning chose, "" without a tuning
    std::vector<Run> runs = {};
    std::vector<double> tried = {};  ///< the values of this setting that were tried, in rising order
    bool at_edge = false;            ///< the least or the greatest one was chosen
  };
  std::string experiment;  ///< its id
  std::vector<OfVariant> variants = {};
  bool quick = false;
  double minutes = 0;  ///< of a processor, for all jobs

  const OfVariant& of(const std::string& variant) const;
  Range range(const std::string& variant, const std::string& measurement, Index index = 0) const;
  /// The number of entries of a measurement.
  Index entries(const std::string& variant, const std::string& measurement) const;
};

/// Reads the results of a block of seeds, such as 1 to 8 or 101 to 108, from a file of finished jobs
/// (lines.h): all seeds from `first_seed` on without a gap. Returns nothing in `variants` if the file has not
/// this seed. Throws Error that names the file if it is malformed, or if something is missing in it because
/// the experiment has changed since.
Results read_results(const Experiment& experiment, const std::string& path, Index first_seed = 1);

/// A number: "41.2"; with decimals below 0: "1.2e-07".
std::string text(double number, int decimals);
/// A number with its range: "41.2 (40.8 to 41.5)"; the mean alone if all seeds have it.
std::string text(const Range& range, int decimals);

/// The slope of the line through (log x, log y): the exponent of a power law.
double exponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace regard::experiments
