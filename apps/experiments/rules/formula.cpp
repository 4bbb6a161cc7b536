#include "apps/experiments/rules/formula.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numeric>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

/// What stands between two formulas (level 1 or 2), or before its arguments in parentheses (level 3).
struct Operation {
  const char* name;
  int level;  ///< a higher one binds more closely
  double (*value)(const std::vector<double>& x);
  bool of_one = false;  ///< a function that takes exactly one argument
};

namespace {

using Numbers = std::vector<double>;

constexpr Operation operations[] = {{"+", 1, [](const Numbers& x) { return x[0] + x[1]; }},
                                    {"-", 1, [](const Numbers& x) { return x[0] - x[1]; }},
                                    {"*", 2, [](const Numbers& x) { return x[0] * x[1]; }},
                                    {"/", 2, [](const Numbers& x) { return x[0] / x[1]; }},
                                    {"log", 3, [](const Numbers& x) { return std::log(x[0]); }, true},
                                    {"abs", 3, [](const Numbers& x) { return std::abs(x[0]); }, true},
                                    {"min", 3, [](const Numbers& x) { return std::ranges::min(x); }},
                                    {"max", 3, [](const Numbers& x) { return std::ranges::max(x); }},
                                    {"mean", 3, [](const Numbers& x) {
                                       return std::accumulate(x.begin(), x.end(), 0.0) /
                                              static_cast<double>(x.size());
                                     }}};

/// Null if there is none of this name.
const Operation* operation_named(const std::string& name) {
  const auto* const found = std::ranges::find(operations, name, &Operation::name);
  return found == std::end(operations) ? nullptr : found;
}

constexpr int most_nested = 100;  // parentheses

/// Recursive descent, one function for each line of the grammar.
class Parser {
 public:
  Parser(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  /// comparison = terms(1) (">=" | "<=") ["-"] number
  Comparison comparison() {
    Formula left = terms(1);
    const bool at_least = take(">=");
    if (!at_least && !take("<=")) expected(">= or <=");
    const double sign = take("-") ? -1 : 1;
    const double mark = sign * number();
    if (!at_end()) expected("the end");
    if (measurements(left).empty()) refuse("has no measurement");
    return {text_, std::move(left), at_least, mark};
  }

 private:
  /// terms(level) = terms(level + 1) {operation of this level, terms(level + 1)}; those of level 3 are
  /// factors
  Formula terms(int level) {
    Formula left = level < 3 ? terms(level + 1) : factor();
    for (bool more = level < 3; more;) {
      more = false;
      for (const Operation& operation : operations)
        if (operation.level == level && take(operation.name)) {
          Formula right = terms(level + 1);
          left = {.operation = &operation, .parts = {std::move(left), std::move(right)}};
          more = true;
        }
    }
    return left;
  }

  /// factor = "-" factor | "(" terms(1) ")" | number | function "(" terms(1) {"," terms(1)} ")"
  ///        | measurement "(" variant ")" ["[" index "]"]
  Formula factor() {
    if (++nested_ > most_nested) refuse("is nested too deeply");
    Formula result;
    if (take("-")) {
      result = {.operation = operation_named("*"), .parts = {{.number = -1}, factor()}};
    } else if (take("(")) {
      result = terms(1);
      need(")");
    } else if (number_is_next()) {
      result.number = number();
    } else {
      const std::string word = identifier("a number, a measurement or (");
      const Operation* const function = operation_named(word);
      need("(");
      if (function != nullptr) {
        result = {.operation = function, .parts = {terms(1)}};
        while (!function->of_one && take(",")) result.parts.push_back(terms(1));
        need(")");
      } else {
        result = entry(word);
      }
    }
    --nested_;
    return result;
  }

  Formula entry(const std::string& measurement) {
    Formula result{.measurement = measurement, .variant = variant()};
    need(")");
    if (!take("[")) return result;
    const double index = number("a whole number");
    if (index != std::floor(index) || index > static_cast<double>(most_index))
      refuse(fmt::format("has the index {}; give a whole number from 0 to {}", index, most_index));
    result.index = static_cast<Index>(index);
    need("]");
    return result;
  }

  std::string variant() {
    const char quote = next();
    if (quote != '\'' && quote != '"') return identifier("the name of a variant");
    const std::size_t begin = at_ + 1, end = text_.find(quote, begin);
    if (end == std::string::npos) expected(fmt::format("a variant that ends with {}", quote));
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  std::string identifier(const char* what) {
    next();
    const std::size_t begin = at_;
    const auto fits = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
             c == '.' || c == '-' || static_cast<unsigned char>(c) >= 0x80;
    };
    while (at_ < text_.size() && fits(text_[at_])) ++at_;
    if (begin == at_) expected(what);
    return text_.substr(begin, at_ - begin);
  }

  bool number_is_next() { return (next() >= '0' && next() <= '9') || next() == '.'; }
  double number(const char* what = "a number") {
    double value = 0;
    const bool begins = number_is_next();
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (!begins || error != std::errc()) expected(what);
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  /// The next character that is no blank; 0 at the end.
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool at_end() { return next() == '\0' && at_ == text_.size(); }
  bool take(const std::string& token) {
    next();
    const bool taken = text_.compare(at_, token.size(), token) == 0;
    if (taken) at_ += token.size();
    return taken;
  }
  void need(const std::string& token) {
    if (!take(token)) expected(token);
  }
  [[noreturn]] void refuse(const std::string& why) {
    fail("{}: the formula \"{}\" {}", name_, translation::printable(text_, 200), why);
  }
  [[noreturn]] void expected(const std::string& what) {
    const std::string rest =
        at_end() ? "the end" : "\"" + translation::printable(std::string_view(text_).substr(at_), 30) + "\"";
    refuse(fmt::format("needs {} at character {} instead of {}", what, at_ + 1, rest));
  }

  const std::string& text_;
  const std::string& name_;
  std::size_t at_ = 0;
  int nested_ = 0;
};

}  // namespace

Comparison read_comparison(const std::string& text, const std::string& name) {
  return Parser(text, name).comparison();
}

double value(const Formula& formula, const std::function<double(const Formula&)>& measured) {
  if (!formula.measurement.empty()) return measured(formula);
  if (formula.operation == nullptr) return formula.number;
  Numbers x;
  for (const Formula& part : formula.parts) x.push_back(value(part, measured));
  return formula.operation->value(x);
}

std::vector<Formula> measurements(const Formula& formula) {
  if (!formula.measurement.empty()) return {formula};
  std::vector<Formula> list;
  for (const Formula& part : formula.parts) std::ranges::move(measurements(part), std::back_inserter(list));
  return list;
}

std::string mark_text(const Comparison& comparison) {
  return fmt::format("{} {}", comparison.at_least ? "at least" : "at most", short_text(comparison.mark));
}

std::string short_text(double number) {
  return std::abs(number) >= 1000 && std::abs(number) < 1e9 ? fmt::format("{:.0f}", number)
                                                            : fmt::format("{:.4g}", number);
}

}  // namespace regard::experiments
