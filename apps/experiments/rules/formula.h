#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autograd/machine/real.h"

namespace regard::experiments {

inline constexpr Index most_index = 1'000'000;  ///< of an entry of a measurement

struct Operation;  // + - * / log abs min max mean

/// A formula over measurements: a number, an entry of a measurement of a variant, or an operation on others.
struct Formula {
  const Operation* operation = nullptr;
  double number = 0;  ///< without an operation and a measurement
  std::string measurement = {}, variant = {};
  Index index = 0;
  std::vector<Formula> parts = {};  ///< of the operation
};

/// "bleu(attention)[3] - bleu(none)[3] >= 2".
struct Comparison {
  std::string text;  ///< as it was written
  Formula formula;
  bool at_least;  ///< >=; else <=
  double mark;
};

/// Reads `expression >= number` or `expression <= number`. An expression has numbers, + - * /, parentheses,
/// log(x), abs(x), min(x, ...), max(x, ...), mean(x, ...), and measurement(variant) or
/// measurement(variant)[index]; a variant of other characters than letters, digits, _ . - stands in quotes.
/// Throws Error that contains `name`, the place, and what was expected there.
Comparison read_comparison(const std::string& text, const std::string& name);

/// The number of a formula, with the numbers of its measurements. It may be infinite or not a number.
double value(const Formula& formula, const std::function<double(const Formula&)>& measured);

/// All measurements in a formula.
std::vector<Formula> measurements(const Formula& formula);

/// "at least 2".
std::string mark_text(const Comparison& comparison);

/// A number with four significant digits and no exponent where that is short: "41.23", "12345", "1.2e-07".
std::string short_text(double number);

}  // namespace regard::experiments
