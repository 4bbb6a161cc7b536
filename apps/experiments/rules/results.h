#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/experiments/measures/job.h"

namespace regard::experiments {

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
  std::vector<OfVariant> variants = {};
  double minutes = 0;  ///< of a processor, for all jobs

  const OfVariant& of(const std::string& variant) const;
  Range range(const std::string& variant, const std::string& measurement, Index index = 0) const;
};

/// A number: "41.2"; with decimals below 0: "1.2e-07".
std::string text(double number, int decimals);
/// A number with its range: "41.2 (40.8 to 41.5)"; the mean alone if all seeds have it.
std::string text(const Range& range, int decimals);

}  // namespace regard::experiments
