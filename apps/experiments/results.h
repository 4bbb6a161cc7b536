#pragma once

#include <string>

#include "apps/experiments/experiment.h"
#include "apps/translation/files/json.h"

namespace regard::experiments {

/// The results with their verdict as JSON, as results.json has them.
translation::Json to_json(const Experiment& experiment, const Results& results);

/// Reads results.json. Throws Error that names the file if it is of another experiment or malformed.
Results read_results(const Experiment& experiment, const std::string& path);

/// The columns of the experiment as a Markdown table: a row for each variant, "mean (least to most)".
std::string table(const Experiment& experiment, const Results& results);

/// A number with its range: "41.2 (40.8 to 41.5)"; the mean alone if all seeds have it. With
/// decimals below 0: "1.2e-07".
std::string text(const Range& range, int decimals);

/// The decision on "the first variant has more of a measurement than the second": it holds if all seeds of
/// the first lie above all seeds of the second, does not hold if they all lie below, and otherwise it cannot
/// be decided. `unit` follows the numbers in the text, such as " % of the sentences are right".
Decision expect_above(const Results& results, const std::string& first, const std::string& second,
                      const std::string& measurement, const std::string& unit, int decimals = 1);

}  // namespace regard::experiments
