#include "autograd/gradcheck.h"

#include <algorithm>
#include <cmath>

#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/wrong_backward.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// sum_i cotangent_i f(inputs)_i: the scalar whose gradient backward() computes under this cotangent.
class Scalar {
 public:
  Scalar(const Differentiable& function, const std::vector<Tensor>& inputs, std::uint64_t seed)
      : function_(function), inputs_(inputs) {
    const Tensor y = function(inputs);
    Random random(seed);
    cotangent_ = Tensor::normal(y.shape(), 0, 1, random);
    backward(y, {.cotangent = cotangent_});
    op_ = y.node()->op;
  }

  double operator()() const {
    const NoGrad no_grad;
    const Tensor y = function_(inputs_);
    long double sum = 0;  // in double, its rounding would look like a slope of the function
    for (Index i = 0; i < y.size(); ++i)
      sum += static_cast<long double>(y.data()[i]) * static_cast<long double>(cotangent_.data()[i]);
    return static_cast<double>(sum);
  }

  const std::string& op() const { return op_; }
  /// The operation to blame for a wrong gradient of an input.
  std::string culprit(const Tensor& input) const {
    const std::string found = operation_with_wrong_backward(function_, inputs_, input, cotangent_);
    return found.empty() ? "an operation up to " + op_ : found;
  }

 private:
  const Differentiable& function_;
  const std::vector<Tensor>& inputs_;
  Tensor cotangent_;
  std::string op_;
};

/// A line through the values of an input, along which the function is evaluated.
class Line {
 public:
  Line(const Scalar& function, const Tensor& input, std::vector<double> direction)
      : function_(function),
        input_(input),
        direction_(std::move(direction)),
        origin_(input.values().begin(), input.values().end()) {}

  /// The function's value at distance t from the origin.
  double at(double t) const {
    const Restored restored{*this};
    for (std::size_t i = 0; i < origin_.size(); ++i)
      input_.data()[i] = static_cast<Real>(static_cast<double>(origin_[i]) + t * direction_[i]);
    return function_();
  }

  /// (f(x + h) - f(x - h)) / 2h
  double central_difference(double step) const { return (at(step) - at(-step)) / (2 * step); }

  /// The central difference, among those of several steps, that is nearest to `got`. The rounding of f makes
  /// an error of about 1e-16 f / h, which falls as the step grows; it may be larger than the tolerance if f
  /// is large or the slope small. A wrong gradient is wrong by the same amount at each step.
  double nearest_difference(double got, double step) const {
    double nearest = central_difference(step);
    for (const double longer : {3 * step, 10 * step, 30 * step, 100 * step})
      if (const double other = central_difference(longer); std::abs(got - other) < std::abs(got - nearest))
        nearest = other;
    return nearest;
  }

  /// At a kink the slopes on the two sides differ for every small step; elsewhere the difference goes to zero
  /// with the step. The derivative that backward() chooses is one of the two slopes, or between them, and the
  /// central difference is their mean. So at a kink, the slopes differ by at least twice the discrepancy;
  /// half of it is enough here. Rounding must not be able to cause the difference.
  bool is_kink(double step, double discrepancy) const {
    const double near = step / 100, here = at(0);
    const double rounding = 1e-14 * std::max(1.0, std::abs(here)) / near;
    return std::abs((at(near) - here) - (here - at(-near))) / near > std::max(discrepancy / 2, rounding);
  }

 private:
  /// Gives the input its values again, even if the function throws.
  struct Restored {
    const Line& line;
    ~Restored() { std::ranges::copy(line.origin_, line.input_.data()); }
  };

  const Scalar& function_;
  Tensor input_;
  std::vector<double> direction_;
  std::vector<Real> origin_;
};

struct Entry {
  std::string where;
  std::vector<double> direction;
};

std::vector<Entry> entries_to_check(const Tensor& input, const GradcheckOptions& options, Random& random) {
  std::vector<Entry> entries;
  const auto size = to_size(input.size());
  if (input.size() <= options.every_entry_up_to) {
    for (std::size_t i = 0; i < size; ++i) {
      entries.push_back({fmt::format("index {}", i), std::vector<double>(size, 0)});
      entries.back().direction[i] = 1;
    }
    return entries;
  }
  for (int i = 0; i < options.directions; ++i) {
    entries.push_back({fmt::format("random direction {}", i), std::vector<double>(size)});
    double squares = 0;
    for (double& component : entries.back().direction) {
      component = random.normal();
      squares += component * component;
    }
    for (double& component : entries.back().direction) component /= std::sqrt(squares);
  }
  return entries;
}

/// NaN is worse than any number.
bool is_worse(double a, double b) { return !std::isnan(b) && !(a <= b); }

/// The worst entry of an input.
struct Worst {
  double error;
  std::string report;
};

/// Checks one input, and counts its entries in the result.
Worst check_input(const Scalar& function, const Tensor& input, const std::vector<double>& gradient,
                  const std::string& name, const GradcheckOptions& options, Random& random,
                  GradcheckResult& result) {
  double largest_expected = 0, largest_discrepancy = -1;
  Index checked = 0, kinks = 0;
  std::string worst;
  for (const Entry& entry : entries_to_check(input, options, random)) {
    const Line line(function, input, entry.direction);
    double got = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i)
      if (entry.direction[i] != 0) got += gradient[i] * entry.direction[i];
    double expected = line.central_difference(options.step);
    largest_expected = std::max(largest_expected, std::abs(expected));
    if (std::abs(got - expected) > options.tolerance * largest_expected) {
      if (line.is_kink(options.step, std::abs(got - expected))) {
        ++kinks;
        continue;
      }
      expected = line.nearest_difference(got, options.step);
    }
    const double discrepancy = std::abs(got - expected);
    ++checked;
    if (is_worse(discrepancy, largest_discrepancy)) {
      largest_discrepancy = discrepancy;
      worst = fmt::format("{}, {}: got {:.12g}, expected {:.12g}", name, entry.where, got, expected);
    }
  }
  // If all expected values are rounding noise, the true gradient is 0.
  const double noise = 1e-10 * std::max(1.0, std::abs(function()));
  const double error =
      largest_expected > noise ? largest_discrepancy / largest_expected : largest_discrepancy;
  result.checked += checked;
  result.kinks += kinks;
  result.inputs.push_back({name, std::max(error, 0.0), checked, kinks});
  return {std::max(error, 0.0), worst};
}

}  // namespace

GradcheckResult gradcheck(const Differentiable& function, std::vector<Tensor> inputs,
                          const GradcheckOptions& options) {
  if (sizeof(Real) != sizeof(double))
    fail(
        "gradcheck: central differences need double precision; link regard::autograd_f64 (or nn_f64, "
        "transformer_f64) instead of the float library");
  for (Tensor& input : inputs) {
    input.set_requires_grad();
    input.zero_grad();
  }
  const Scalar scalar(function, inputs, options.seed);
  std::vector<std::vector<double>> gradients;
  for (const Tensor& input : inputs) {
    gradients.emplace_back(to_size(input.size()), 0.0);
    if (const Tensor gradient = input.grad())
      gradients.back().assign(gradient.values().begin(), gradient.values().end());
    input.zero_grad();
  }
  GradcheckResult result;
  Random random(options.seed + 1);
  std::size_t worst_input = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = i < options.names.size() ? options.names[i] : fmt::format("input {}", i);
    const Worst worst = check_input(scalar, inputs[i], gradients[i], name, options, random, result);
    if (!is_worse(worst.error, result.error) && !result.worst.empty()) continue;
    result.error = worst.error;
    result.worst = worst.report;
    worst_input = i;
  }
  const bool wrong = is_worse(result.error, options.tolerance);
  result.worst =
      fmt::format("{}, {}", wrong ? scalar.culprit(inputs[worst_input]) : scalar.op(), result.worst);
  result.passed = result.error <= options.tolerance && result.checked > result.kinks;
  return result;
}

std::string gradcheck_head() {
  return fmt::format("{:<44} {:>8} {:>6} {:>10}\n", "gradient of", "checked", "kinks", "error");
}

std::string gradcheck_line(const std::string& name, Index checked, Index kinks, double error, bool passed) {
  return fmt::format("{:<44} {:>8} {:>6} {:>10.1e}{}\n", name, checked, kinks, error,
                     passed ? "" : "  FAILED");
}

std::string table_of(const GradcheckResult& result) {
  std::string table = gradcheck_head();
  for (const GradcheckResult::Input& input : result.inputs) {
    const bool is_worst = input.error == result.error || std::isnan(input.error);
    table += gradcheck_line(input.name, input.checked, input.kinks, input.error, result.passed || !is_worst);
  }
  return table + fmt::format("{}: {}", result.passed ? "worst" : "FAILED", result.worst);
}

}}  // namespace regard::REGARD_PRECISION
