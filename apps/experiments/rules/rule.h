#pragma once

#include <string>
#include <vector>

#include "apps/experiments/rules/formula.h"
#include "apps/experiments/rules/interval.h"
#include "apps/translation/files/json.h"

namespace regard::experiments {

class Results;

/// One statement of a claim, decided by one comparison or by several.
struct Part {
  std::string says;
  bool any = false;  ///< one of the comparisons is enough; else all are needed
  std::vector<Comparison> comparisons = {};
  std::vector<Comparison> needs = {};  ///< if one is not true of the means, the part is undecided
};

/// How the verdict on a claim follows from the measurements.
struct Rule {
  std::vector<Comparison> needs = {};  ///< the same, for all parts
  std::vector<Part> parts = {};
  /// The comparisons that share 5 % of error: those in the parts of the whole book, or of this one rule.
  Index compared = 1;
  bool exact = false;  ///< nothing in the experiment is random, so one number has no error

  /// Of an interval (Bonferroni: the errors of all intervals together are at most 5 %).
  double error() const { return 0.05 / static_cast<double>(compared); }
};

/// Reads "needs" and "parts". Throws Error that contains `name`.
Rule read_rule(const translation::Json& needs, const translation::Json& parts, const std::string& name);

/// The number of comparisons in the parts.
Index count(const Rule& rule);
/// All comparisons, those that are needed as well.
std::vector<Comparison> comparisons(const Rule& rule);

/// Whether a number is beyond a mark: the interval may contain both answers. In this order, "all" is the
/// least and "any" the greatest of the answers (Kleene's logic).
enum class Answer { no, undecided, yes };
enum class Verdict { holds, holds_in_part, does_not_hold, cannot_be_decided };
const char* to_string(Answer answer);
const char* to_string(Verdict verdict);

/// A comparison, decided.
struct Decided {
  std::string label;  ///< "need"; "2" for part 2, or "2b" if it has several; "need of 2"
  const Comparison* comparison;
  Index part = -1;  ///< from 0; -1 for a need of all parts
  bool need = false;
  std::vector<double> values = {};  ///< the formula, once for each seed
  Interval effect = {};             ///< of these values; for a need the mean alone
  Answer answer = Answer::undecided;

  /// Whether the comparison is true of one of the values.
  bool is_true(double value) const {
    return comparison->at_least ? value >= comparison->mark : value <= comparison->mark;
  }
};

/// A claim, decided.
struct Decision {
  Verdict verdict;
  std::vector<Decided> comparisons;  ///< the needs of all, then for each part its comparisons and its needs
  std::vector<Answer> answers;       ///< of the parts

  /// The comparison to show of a part: the first need that is not met, or the first that has the part's
  /// answer.
  const Decided& deciding(std::size_t part) const;
};

/// Computes each formula for each seed, so all differences are between runs of the same seed. Throws Error
/// if a measurement is missing, or a formula has no finite number. The decision points into the rule.
Decision decide(const Rule& rule, const Results& results);

/// "3.1 (2.2 to 4)".
std::string text(const Interval& interval);
/// The verdict, with the answers of the parts if they differ: "holds in part (1 yes, 2 undecided)".
std::string text(const Decision& decision);

}  // namespace regard::experiments
