#include "nn/optimisers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/profile.h"
#include "nn/kernels/optimisers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

FlatParameters::FlatParameters(const std::vector<NamedParameter>& parameters) : parameters_(parameters) {
  Index size = 0;
  for (const NamedParameter& parameter : parameters) size += padded(parameter.tensor.size());
  values_ = Tensor::zeros({size});
  gradients_ = Tensor::zeros({size});
  Index first = 0;
  for (const NamedParameter& parameter : parameters) {
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
  std::vector<double> squares(to_size((size() + kernels::norm_block - 1) / kernels::norm_block));
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
  return norm;
}

void Optimiser::zero_grad() {
  parameters_.check_in_place();
  std::ranges::fill(parameters_.gradients().values(), Real{0});
}

Adam::Adam(const std::vector<NamedParameter>& parameters, const Settings& settings)
    : Optimiser(parameters),
      settings_(settings),
      first_moments_(Tensor::zeros({parameters_.size()})),
      second_moments_(Tensor::zeros({parameters_.size()})) {}

std::vector<NamedParameter> Adam::state() const {
  return {{"exp_avg", first_moments_}, {"exp_avg_sq", second_moments_}};
}

void Adam::update(double learning_rate, double gradient_scale) {
  const auto t = static_cast<double>(steps_);
  const kernels::AdamStep step{
      .beta1 = static_cast<Real>(settings_.beta1),
      .beta2 = static_cast<Real>(settings_.beta2),
      .epsilon = static_cast<Real>(settings_.epsilon),
      .step_size = static_cast<Real>(learning_rate / (1 - std::pow(settings_.beta1, t))),
      .inverse_correction2 = static_cast<Real>(1 / std::sqrt(1 - std::pow(settings_.beta2, t))),
      .gradient_scale = static_cast<Real>(gradient_scale)};
  kernels::adam_step(parameters_.values().data(), parameters_.gradients().data(), first_moments_.data(),
                     second_moments_.data(), parameters_.size(), step);
}

Sgd::Sgd(const std::vector<NamedParameter>& parameters, double momentum)
    : Optimiser(parameters), momentum_(momentum), velocities_(Tensor::zeros({parameters_.size()})) {}

void Sgd::update(double learning_rate, double gradient_scale) {
  kernels::sgd_step(parameters_.values().data(), parameters_.gradients().data(), velocities_.data(),
                    parameters_.size(), static_cast<Real>(learning_rate), static_cast<Real>(momentum_),
                    static_cast<Real>(gradient_scale));
}

}}}  // namespace regard::REGARD_PRECISION::nn
