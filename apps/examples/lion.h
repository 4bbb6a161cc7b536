#pragma once

#include <vector>

#include "nn/optimisers.h"

/// The optimiser Lion (Chen et al. 2023, algorithm 2) without weight decay. With the gradient g and the
/// momentum m:
///   x = x - learning_rate sign(beta1 m + (1 - beta1) g),  m = beta2 m + (1 - beta2) g.
class Lion : public regard::nn::Optimiser {
 public:
  explicit Lion(const std::vector<regard::nn::NamedParameter>& parameters)
      : Optimiser(parameters), momentum_(regard::Tensor::zeros({parameters_.size()})) {}

  /// What the next update depends on besides weights and gradients. A training saves and restores it.
  std::vector<regard::nn::NamedParameter> state() const override { return {{"momentum", momentum_}}; }

 private:
  /// All parameters are side by side in one buffer, and so are their gradients. The gaps between them are 0
  /// in both, and must stay 0.
  void update(double learning_rate, double gradient_scale) override {
    using regard::Real;
    constexpr Real beta1 = 0.9F, beta2 = 0.99F;
    const auto rate = static_cast<Real>(learning_rate), scale = static_cast<Real>(gradient_scale);
    Real *const x = parameters_.values().data(), *const g = parameters_.gradients().data(),
                *const m = momentum_.data();
    for (regard::Index i = 0; i < parameters_.size(); ++i) {
      const Real gradient = scale * g[i];  // clipped
      const Real direction = beta1 * m[i] + (1 - beta1) * gradient;
      x[i] -= rate * static_cast<Real>((direction > 0) - (direction < 0));
      m[i] = beta2 * m[i] + (1 - beta2) * gradient;
      g[i] = 0;  // for the next step
    }
  }

  regard::Tensor momentum_;
};
