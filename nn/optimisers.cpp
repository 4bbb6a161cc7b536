#include "nn/optimisers.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "autograd/machine/cut.h"
#include "autograd/machine/error.h"
#include "autograd/machine/profile.h"
#include "nn/kernels/optimisers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

FlatParameters::FlatParameters(const std::vector<NamedParameter>& parameters)
    : parameters_(distinct(parameters)) {
  if (parameters.empty()) fail("an optimiser has no parameters; give it those of a module");
  Index size = 0;
  for (const NamedParameter& parameter : parameters_) size += padded(parameter.tensor.size());
  values_ = Tensor::zeros({size});
  gradients_ = Tensor::zeros({size});
  Index first = 0;
  for (const NamedParameter& parameter : parameters_) {
    parameter.tensor.move_into(values_, gradients_, first);
    first += padded(parameter.tensor.size());
  }
}

void FlatParameters::check_in_place() const {
  Index first = 0;
  for (const NamedParameter& parameter : parameters_) {
    if (parameter.tensor.data() != values_.data() + first)
      fail("an optimiser made later has taken over parameter {}; step that one instead", parameter.name);
    first += padded(parameter.tensor.size());
  }
}

double FlatParameters::gradient_norm() const {
  const Index block = block_size(size(), 1);
  std::vector<double> squares(to_size(ceil_divide(size(), block)));
  kernels::sums_of_squares(squares.data(), gradients_.data(), size());
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

double Optimiser::step(const UpdateOptions& options) {
  const Span span("Optimiser::step", Span::Kind::other);
  parameters_.check_in_place();
  const double norm = parameters_.gradient_norm();
  if (!std::isfinite(norm)) return norm;
  ++steps_;
  const bool clip = options.clip_norm > 0 && norm > options.clip_norm;
  update(options.learning_rate, clip ? options.clip_norm / norm : 1);
  parameters_.values().values_changed();
  return norm;
}

void Optimiser::zero_grad() {
  parameters_.check_in_place();
  std::fill_n(parameters_.gradients().data(), parameters_.gradients().size(), Real{0});
}

Adam::Adam(const std::vector<NamedParameter>& parameters, const Settings& settings)
    : Optimiser(parameters),
      settings_(settings),
      moments_{Tensor::zeros({parameters_.size()}), Tensor::zeros({parameters_.size()})} {
  for (const NamedParameter& parameter : distinct(parameters)) {
    const bool decays = settings.weight_decay != 0 && parameter.tensor.rank() >= settings.decayed_dimensions;
    const Index begin = runs_.empty() ? 0 : runs_.back().end;
    if (runs_.empty() || runs_.back().decays != decays) runs_.push_back({begin, begin, decays});
    runs_.back().end += padded(parameter.tensor.size());
  }
}

std::vector<NamedParameter> Adam::state() const {
  return {{"exp_avg", moments_.first}, {"exp_avg_sq", moments_.second}};
}

namespace {

kernels::AdamStep numbers_of(Index step, double learning_rate, const Adam::Settings& settings,
                             double gradient_scale) {
  const auto t = static_cast<double>(step);
  return {.beta1 = static_cast<Real>(settings.beta1),
          .beta2 = static_cast<Real>(settings.beta2),
          .epsilon = static_cast<Real>(settings.epsilon),
          .step_size = static_cast<Real>(learning_rate / (1 - std::pow(settings.beta1, t))),
          .inverse_correction2 = static_cast<Real>(1 / std::sqrt(1 - std::pow(settings.beta2, t))),
          .gradient_scale = static_cast<Real>(gradient_scale),
          .kept = static_cast<Real>(1 - learning_rate * settings.weight_decay)};
}

}  // namespace

void Adam::update(double learning_rate, double gradient_scale) {
  kernels::AdamStep numbers = numbers_of(steps_, learning_rate, settings_, gradient_scale);
  const Real kept = numbers.kept;
  for (const auto [begin, end, decays] : runs_) {
    numbers.kept = decays ? kept : 1;
    kernels::adam_step(parameters_.values().data() + begin, parameters_.gradients().data() + begin,
                       moments_.first.data() + begin, moments_.second.data() + begin, end - begin, numbers);
  }
}

void adam_update(const Tensor& values, const Tensor& gradients, const AdamMoments& moments, Index step,
                 double learning_rate, const Adam::Settings& settings, double gradient_scale) {
  for (const Tensor& other : {gradients, moments.first, moments.second})
    if (other.shape() != values.shape())
      fail("Adam: a gradient or a mean of the shape {} does not fit the values of the shape {}",
           to_string(other.shape()), to_string(values.shape()));
  if (step < 1) fail("Adam: the steps count from 1; this one is {}", step);
  kernels::adam_step(values.data(), gradients.data(), moments.first.data(), moments.second.data(),
                     values.size(), numbers_of(step, learning_rate, settings, gradient_scale));
}

Sgd::Sgd(const std::vector<NamedParameter>& parameters, double momentum)
    : Optimiser(parameters), momentum_(momentum), velocities_(Tensor::zeros({parameters_.size()})) {}

void Sgd::update(double learning_rate, double gradient_scale) {
  kernels::sgd_step(parameters_.values().data(), parameters_.gradients().data(), velocities_.data(),
                    parameters_.size(), static_cast<Real>(learning_rate), static_cast<Real>(momentum_),
                    static_cast<Real>(gradient_scale));
}

double learning_rate(const ScheduleSettings& settings, Index step) {
  const auto t = static_cast<double>(step), warmup = static_cast<double>(settings.warmup_steps);
  switch (settings.schedule) {
    // factor / sqrt(d_model) min(1/sqrt(t), t / warmup^1.5)
    case Schedule::noam:
      return settings.learning_rate / std::sqrt(static_cast<double>(settings.d_model)) *
             std::min(1 / std::sqrt(t), t / std::pow(warmup, 1.5));
    // peak min(t / warmup, sqrt(warmup / t))
    case Schedule::inverse_sqrt:
      if (settings.warmup_steps < 1)
        fail("schedule inverse_sqrt with warmup_steps {}: it needs at least 1", settings.warmup_steps);
      return settings.learning_rate * std::min(t / warmup, std::sqrt(warmup / t));
    // peak t / warmup, then minimum + (peak - minimum) (1 + cos(pi (t - warmup) / (steps - warmup))) / 2
    case Schedule::cosine: {
      if (settings.steps <= settings.warmup_steps)
        fail("schedule cosine with warmup_steps {} and steps {}: it needs more steps than warm-up",
             settings.warmup_steps, settings.steps);
      if (t <= warmup) return settings.learning_rate * t / warmup;
      const double done = std::min(1.0, (t - warmup) / (static_cast<double>(settings.steps) - warmup));
      return settings.minimum +
             (settings.learning_rate - settings.minimum) * (1 + std::cos(std::numbers::pi * done)) / 2;
    }
    // peak t / warmup, then max(minimum, peak reduction)
    case Schedule::plateau:
      if (t < warmup) return settings.learning_rate * t / warmup;
      return std::max(settings.minimum, settings.learning_rate * settings.reduction);
    case Schedule::constant:
      break;
  }
  return settings.learning_rate;
}

MovingAverage::MovingAverage(const std::vector<NamedParameter>& parameters, double decay)
    : decay_(decay), parameters_(distinct(parameters)) {
  for (const NamedParameter& parameter : parameters_)
    averages_.push_back({parameter.name, parameter.tensor.clone()});
}

void MovingAverage::restart() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i].tensor;
    std::copy_n(parameter.data(), parameter.size(), averages_[i].tensor.data());
  }
}

void MovingAverage::update(Index step) {
  const auto t = static_cast<double>(step);
  const double decay = std::min(decay_, (1 + t) / (10 + t));
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    kernels::moving_average_step(averages_[i].tensor.data(), parameters_[i].tensor.data(),
                                 averages_[i].tensor.size(), static_cast<Real>(decay));
}

void MovingAverage::swap() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i].tensor;
    std::swap_ranges(parameter.data(), parameter.data() + parameter.size(), averages_[i].tensor.data());
    parameter.values_changed();
  }
}

}}}  // namespace regard::REGARD_PRECISION::nn
