#include "autograd/gradcheck.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "autograd/checks/wrong_backward.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// A number for each of two cotangents. Under a single one, a gradient may be 0 whatever its backward does,
/// as that of x / |x| under the cotangent x.
constexpr std::size_t cotangents = 2;
using Values = std::array<double, cotangents>;

/// sum_i cotangent_i f(inputs)_i: the scalars whose gradients backward() computes under the cotangents.
class Scalars {
 public:
  Scalars(const Differentiable& function, const std::vector<Tensor>& inputs, Random& random)
      : function_(function), inputs_(inputs) {
    for (std::size_t k = 0; k < cotangents; ++k) {
      const Tensor y = function(inputs);
      cotangents_[k] = Tensor::normal(y.shape(), 0, 1, random);
      backward(y, {.cotangent = cotangents_[k]});
      op_ = y.node()->op;
      for (const Tensor& input : inputs) {
        const Tensor gradient = input.grad();
        gradients_[k].push_back(gradient ? gradient.clone() : Tensor::zeros(input.shape()));
        input.zero_grad();
      }
    }
  }

  Values operator()() const {
    const NoGrad no_grad;
    const Tensor y = function_(inputs_);
    return {dot(y, cotangents_[0]), dot(y, cotangents_[1])};
  }

  const Tensor& input(std::size_t i) const { return inputs_[i]; }
  const Tensor& gradient(std::size_t input, std::size_t k) const { return gradients_[k][input]; }
  const std::string& op() const { return op_; }
  /// The operation to blame for a wrong gradient of an input under a cotangent.
  std::string culprit(std::size_t input, std::size_t k, Random& random) const {
    const std::string found =
        operation_with_wrong_backward(function_, inputs_, inputs_[input], cotangents_[k], random);
    return found.empty() ? "an operation up to " + op_ : found;
  }

 private:
  const Differentiable& function_;
  const std::vector<Tensor>& inputs_;
  std::array<Tensor, cotangents> cotangents_;
  std::array<std::vector<Tensor>, cotangents> gradients_;
  std::string op_;
};

/// A line through the values of an input, along which the function is evaluated under cotangent k.
class Line {
 public:
  Line(const Scalars& function, const Tensor& input, std::vector<double> direction)
      : function_(function),
        input_(input),
        direction_(std::move(direction)),
        origin_(input.values().begin(), input.values().end()) {}

  /// The slope that a gradient has along this line.
  double slope(const Tensor& gradient) const {
    const Real* const slopes = gradient.data();
    double sum = 0;
    for (std::size_t i = 0; i < direction_.size(); ++i)
      if (direction_[i] != 0) sum += static_cast<double>(slopes[i]) * direction_[i];
    return sum;
  }

  /// (f(x + h) - f(x - h)) / 2h
  double central_difference(double step, std::size_t k) { return (at(step, k) - at(-step, k)) / (2 * step); }

  /// The central difference, among those of several steps, that is nearest to `got`. The rounding of f makes
  /// an error of about 1e-16 f / h, which falls as the step grows; it may be larger than the tolerance if f
  /// is large or the slope small. A wrong gradient is wrong by the same amount at each step.
  double nearest_difference(double got, double step, std::size_t k) {
    double nearest = central_difference(step, k);
    for (const double longer : {3 * step, 10 * step, 30 * step, 100 * step})
      if (const double other = central_difference(longer, k); std::abs(got - other) < std::abs(got - nearest))
        nearest = other;
    return nearest;
  }

  /// At a kink the slopes on the two sides differ for every small step; elsewhere the difference goes to zero
  /// with the step. The derivative that backward() chooses is one of the two slopes, or between them, and the
  /// central difference is their mean. So at a kink, the slopes differ by at least twice the discrepancy;
  /// half of it is enough here. Rounding must not be able to cause the difference.
  bool is_kink(double step, double discrepancy, std::size_t k) {
    const double near = step / 100, here = at(0, k);
    const double rounding = 1e-14 * std::max(1.0, std::abs(here)) / near;
    return std::abs((at(near, k) - here) - (here - at(-near, k))) / near >
           std::max(discrepancy / 2, rounding);
  }

 private:
  /// Gives the input its values again, even if the function throws.
  struct Restored {
    const Line& line;
    ~Restored() { std::copy(line.origin_.begin(), line.origin_.end(), line.input_.data()); }
  };

  /// The function's value at distance t from the origin. One evaluation serves all cotangents.
  double at(double t, std::size_t k) {
    if (const auto known = known_.find(t); known != known_.end()) return known->second[k];
    const Restored restored{*this};
    for (std::size_t i = 0; i < origin_.size(); ++i)
      input_.data()[i] = static_cast<Real>(static_cast<double>(origin_[i]) + t * direction_[i]);
    return (known_[t] = function_())[k];
  }

  const Scalars& function_;
  Tensor input_;
  std::vector<double> direction_;
  std::vector<Real> origin_;
  std::map<double, Values> known_;
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

/// The worst entry of an input, and the cotangent under which it is.
struct Worst {
  double error = 0;
  std::string report = {};
  std::size_t input = 0, cotangent = 0;
};

/// Checks one input, and adds it to the result.
Worst check_input(const Scalars& function, std::size_t number, const std::string& name,
                  const GradcheckOptions& options, Random& random, GradcheckResult& result) {
  Values largest_expected{}, largest_discrepancy{-1, -1};
  std::array<std::string, cotangents> reports;
  Index checked = 0, kinks = 0;
  for (const Entry& entry : entries_to_check(function.input(number), options, random)) {
    Line line(function, function.input(number), entry.direction);
    Values got{}, expected{};
    bool kink = false;
    for (std::size_t k = 0; k < cotangents; ++k) {
      got[k] = line.slope(function.gradient(number, k));
      expected[k] = line.central_difference(options.step, k);
      largest_expected[k] = std::max(largest_expected[k], std::abs(expected[k]));
      const double discrepancy = std::abs(got[k] - expected[k]);
      if (!(discrepancy > options.tolerance * largest_expected[k])) continue;
      kink = kink || line.is_kink(options.step, discrepancy, k);
      if (!kink) expected[k] = line.nearest_difference(got[k], options.step, k);
    }
    ++(kink ? kinks : checked);
    for (std::size_t k = 0; k < cotangents && !kink; ++k) {
      const double discrepancy = std::abs(got[k] - expected[k]);
      if (!is_worse(discrepancy, largest_discrepancy[k])) continue;
      largest_discrepancy[k] = discrepancy;
      reports[k] =
          fmt::format("{}, {}: got {:.12g}, expected {:.12g}", name, entry.where, got[k], expected[k]);
    }
  }
  const Values here = function();
  Worst worst{.report = reports[0], .input = number};
  for (std::size_t k = 0; k < cotangents; ++k) {
    // If all expected values are rounding noise, the true gradient is 0.
    const double noise = 1e-10 * std::max(1.0, std::abs(here[k]));
    const double scale = largest_expected[k] > noise ? largest_expected[k] : 1;
    if (const double error = largest_discrepancy[k] / scale; is_worse(error, worst.error))
      worst = {error, reports[k], number, k};
  }
  result.checked += checked;
  result.kinks += kinks;
  result.inputs.push_back({name, worst.error, checked, kinks});
  return worst;
}

/// Discards the gradients of the inputs at its end, even if the function throws.
struct WithoutGradients {
  const std::vector<Tensor>& inputs;
  ~WithoutGradients() {
    for (const Tensor& input : inputs) input.zero_grad();
  }
};

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
  const WithoutGradients without_gradients{inputs};
  // A cotangent must not be the input, so the numbers are not those of Random(seed).
  constexpr std::uint32_t no_layer = std::numeric_limits<std::uint32_t>::max();
  Random random(RandomStream{.seed = options.seed, .layer = no_layer, .call = no_layer}.key());
  const Scalars scalars(function, inputs, random);
  GradcheckResult result;
  Worst worst;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = i < options.names.size() ? options.names[i] : fmt::format("input {}", i);
    const Worst of_input = check_input(scalars, i, name, options, random, result);
    if (is_worse(of_input.error, worst.error) || worst.report.empty()) worst = of_input;
  }
  result.error = worst.error;
  const bool wrong = is_worse(result.error, options.tolerance), enough = result.checked > result.kinks;
  if (!wrong && !enough)
    worst.report = fmt::format(
        "only {} of {} entries could be checked; the function has no derivative at the others: take other "
        "values",
        result.checked, result.checked + result.kinks);
  result.worst = fmt::format(
      "{}, {}", wrong ? scalars.culprit(worst.input, worst.cotangent, random) : scalars.op(), worst.report);
  result.passed = result.error <= options.tolerance && enough;
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
