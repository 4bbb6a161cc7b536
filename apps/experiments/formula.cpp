#include "apps/experiments/formula.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::experiments {

namespace {

constexpr int most_nested = 100;  // parentheses

struct Function {
  const char* name;
  bool of_one;  ///< takes exactly one argument
  const char* words;
};
constexpr Function functions[] = {{"log", true, "the logarithm of "},
                                  {"abs", true, "the absolute value of "},
                                  {"min", false, "the least of "},
                                  {"max", false, "the greatest of "},
                                  {"mean", false, "the mean of "}};

const Function* find_function(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(functions, [&](const Function& known) { return name == known.name; });
  return found == std::end(functions) ? nullptr : found;
}

/// Recursive descent, one function for each line of the grammar.
class Parser {
 public:
  Parser(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  /// comparison = sum (">=" | "<=") ["-"] number
  Comparison comparison() {
    Formula left = sum();
    const bool at_least = take(">=");
    if (!at_least && !take("<=")) expected(">= or <=");
    const double sign = take("-") ? -1 : 1;
    const double mark = sign * number();
    if (!at_end()) expected("the end");
    if (measurements(left).empty()) fail("{}: the formula \"{}\" has no measurement", name_, printable());
    return {text_, std::move(left), at_least, mark};
  }

 private:
  /// sum = product {("+" | "-") product}
  Formula sum() { return chain("+", "-", &Parser::product); }
  /// product = factor {("*" | "/") factor}
  Formula product() { return chain("*", "/", &Parser::factor); }

  Formula chain(const char* one, const char* other, Formula (Parser::*part)()) {
    Formula left = (this->*part)();
    for (;;) {
      const char* const operation = take(one) ? one : take(other) ? other : nullptr;
      if (operation == nullptr) return left;
      Formula right = (this->*part)();
      left = {.operation = operation, .parts = {std::move(left), std::move(right)}};
    }
  }

  /// factor = "-" factor | "(" sum ")" | number | function "(" sum {"," sum} ")"
  ///        | measurement "(" variant ")" ["[" index "]"]
  Formula factor() {
    if (++nested_ > most_nested) fail("{}: the formula \"{}\" is nested too deeply", name_, printable());
    Formula result;
    if (take("-")) {
      result = {.operation = "-", .parts = {factor()}};
    } else if (take("(")) {
      result = sum();
      need(")");
    } else if (digit_is_next() || next() == '.') {
      result.number = number();
    } else {
      const std::string word = identifier("a number, a measurement or (");
      need("(");
      result = find_function(word) != nullptr ? call(*find_function(word)) : entry(word);
    }
    --nested_;
    return result;
  }

  Formula call(const Function& function) {
    Formula result{.operation = function.name, .parts = {sum()}};
    while (!function.of_one && take(",")) result.parts.push_back(sum());
    need(")");
    return result;
  }

  Formula entry(const std::string& measurement) {
    Formula result{.measurement = measurement, .variant = variant()};
    need(")");
    if (!take("[")) return result;
    if (!digit_is_next()) expected("a whole number");
    const double index = number();
    if (index != std::floor(index) || index > static_cast<double>(most_index))
      fail("{}: in \"{}\", {} is no index from 0 to {}", name_, printable(), index, most_index);
    result.index = static_cast<Index>(index);
    need("]");
    return result;
  }

  std::string variant() {
    const char quote = next();
    if (quote != '\'' && quote != '"') return identifier("the name of a variant");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) expected(fmt::format("a variant that ends with {}", quote));
    const std::string name = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return name;
  }

  std::string identifier(const char* what) {
    skip_blanks();
    std::size_t end = at_;
    const auto fits = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-' ||
             static_cast<unsigned char>(c) >= 0x80;
    };
    while (end < text_.size() && fits(text_[end])) ++end;
    if (end == at_) expected(what);
    const std::string word = text_.substr(at_, end - at_);
    at_ = end;
    return word;
  }

  double number() {
    const bool begins = digit_is_next() || next() == '.';
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (!begins || error != std::errc()) expected("a number");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool at_end() { return skip_blanks(), at_ == text_.size(); }
  /// The next character that is no blank; 0 at the end.
  char next() { return at_end() ? '\0' : text_[at_]; }
  bool digit_is_next() { return next() >= '0' && next() <= '9'; }
  bool take(const std::string& token) {
    skip_blanks();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void need(const std::string& token) {
    if (!take(token)) expected(token);
  }
  std::string printable() const { return translation::printable(text_, 200); }
  [[noreturn]] void expected(const std::string& what) {
    const std::string rest =
        at_end() ? "the end" : fmt::format("\"{}\"", translation::printable(text_.substr(at_), 30));
    fail("{}: in the formula \"{}\", at character {}, {} is expected instead of {}", name_, printable(),
         at_ + 1, what, rest);
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
  if (formula.operation.empty()) return formula.measurement.empty() ? formula.number : measured(formula);
  std::vector<double> x;
  for (const Formula& part : formula.parts) x.push_back(value(part, measured));
  if (formula.operation == "+") return x[0] + x[1];
  if (formula.operation == "-") return x.size() == 1 ? -x[0] : x[0] - x[1];
  if (formula.operation == "*") return x[0] * x[1];
  if (formula.operation == "/") return x[0] / x[1];
  if (formula.operation == "log") return std::log(x[0]);
  if (formula.operation == "abs") return std::abs(x[0]);
  if (formula.operation == "min") return std::ranges::min(x);
  if (formula.operation == "max") return std::ranges::max(x);
  double sum = 0;
  for (const double one : x) sum += one;
  return sum / static_cast<double>(x.size());
}

std::vector<Formula> measurements(const Formula& formula) {
  if (!formula.measurement.empty()) return {formula};
  std::vector<Formula> list;
  for (const Formula& part : formula.parts) std::ranges::move(measurements(part), std::back_inserter(list));
  return list;
}

std::string words(const std::string& measurement, Index index, const Names& names) {
  const std::string entry = fmt::format("{}[{}]", measurement, index);
  if (const auto found = names.find(entry); found != names.end()) return found->second;
  const auto found = names.find(measurement);
  std::string text = found == names.end() ? measurement : found->second;
  if (found == names.end()) std::ranges::replace(text, '_', ' ');
  return index == 0 ? text : fmt::format("{} [{}]", text, index);
}

std::string words(const Formula& formula, const Names& names) {
  if (!formula.measurement.empty())
    return fmt::format("{} of `{}`", words(formula.measurement, formula.index, names), formula.variant);
  if (formula.operation.empty()) return short_text(formula.number);
  std::vector<std::string> parts;
  const bool is_sum = formula.operation == "+" || formula.operation == "-";
  for (const Formula& part : formula.parts) {
    // "a minus b plus c" is read from the left, and products come first.
    const bool first = parts.empty() && formula.parts.size() == 2;
    const bool plain = part.operation.empty() ||
                       (is_sum && (part.operation == "*" || part.operation == "/")) ||
                       (is_sum && first && find_function(part.operation) == nullptr);
    parts.push_back(plain ? words(part, names) : "(" + words(part, names) + ")");
  }
  if (const Function* const function = find_function(formula.operation)) {
    std::string text = function->words + parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i)
      text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
  }
  const char* const word = formula.operation == "+"   ? "plus"
                           : formula.operation == "-" ? "minus"
                           : formula.operation == "*" ? "times"
                                                      : "divided by";
  return parts.size() == 1 ? fmt::format("{} {}", word, parts[0])
                           : fmt::format("{} {} {}", parts[0], word, parts[1]);
}

std::string words(const Comparison& comparison, const Names& names) {
  return fmt::format("{}, {} {}", words(comparison.formula, names),
                     comparison.at_least ? "at least" : "at most", short_text(comparison.mark));
}

std::string short_text(double number) {
  return std::abs(number) >= 1000 && std::abs(number) < 1e9 ? fmt::format("{:.0f}", number)
                                                            : fmt::format("{:.4g}", number);
}

}  // namespace regard::experiments
