#pragma once

#include <string>
#include <vector>

#include "apps/experiments/results.h"
#include "apps/translation/files/json.h"

namespace regard::experiments {

inline constexpr Index most_index = 1'000'000;  ///< of an entry of a measurement

/// A comparison of two measurements, or several conditions together.
struct Condition {
  enum class Kind { every, mean, paired, all, any, none };
  /// A number, or a measurement of a variant.
  struct Side {
    std::string measurement = {}, variant = {};
    Index index = 0;
    double number = 0;  ///< without a measurement
  };
  /// every: all seeds of `left` against all seeds of `right`; mean: their means; paired: each seed of `left`
  /// against the same seed of `right`. Otherwise: all, any or none of `parts`.
  Kind kind;
  Side left = {}, right = {};
  std::string order = {};  ///< left is "above", "below", "at_least" or "at_most" right * times + plus
  double times = 1, plus = 0;
  std::vector<Condition> parts = {};
};

enum class Verdict { holds, holds_in_part, does_not_hold, cannot_be_decided };
const char* to_string(Verdict verdict);

/// How the verdict follows from the measurements.
struct Rule {
  std::vector<Condition> needs;            ///< if one is false, nothing can be decided
  std::vector<Condition> must;             ///< if one is false, the claim does not hold
  std::vector<Condition> holds_if;         ///< the claim holds if all are true
  Index in_part_count = 1;                 ///< it holds in part if so many of holds_if are true
  std::vector<Condition> in_part_if = {};  ///< instead of the count, if not empty: all are true
  /// If not empty: a claim that does not hold even in part fails if one is true; else it cannot be decided.
  std::vector<Condition> fails_if = {};
};

/// Reads a rule (apps/experiments/README.md). A list of variants in a comparison stands for a comparison with
/// each. Throws Error for what is not one.
Rule read_rule(const translation::Json& json, const std::string& name);

/// All comparisons of a rule, those of `parts` too.
std::vector<Condition> comparisons(const Rule& rule);

bool is_met(const Condition& condition, const Results& results);
Verdict decide(const Rule& rule, const Results& results);

/// A comparison as text: "`reversed` 90.5 (90.2 to 90.8) above `in order` 69.6 (67.8 to 70.8)". `of_right`
/// stands before the numbers of the right side.
std::string text(const Condition& comparison, const Results& results, int decimals,
                 const std::string& of_right = "");

}  // namespace regard::experiments
