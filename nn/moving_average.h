#pragma once

#include <vector>

#include "autograd/index.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Exponential moving average of parameters. After update t,
///   average += (1 - d) (parameter - average)   with d = min(decay, (1 + t) / (10 + t)),
/// so that the first, random weights lose their influence sooner. (Polyak and Juditsky 1992 give all updates
/// the same weight.) The average changes less from update to update than the weights, and often translates
/// better.
class MovingAverage {
 public:
  /// Starts from the present values of the parameters.
  MovingAverage(const std::vector<NamedParameter>& parameters, double decay);

  /// Starts again from the present values of the parameters.
  void restart();
  /// Includes the values after update `step`, which counts from 1.
  void update(Index step);
  /// Exchanges the values of parameters and averages. A second call restores them.
  void swap();
  /// The averages, under the parameters' names.
  const std::vector<NamedParameter>& averages() const { return averages_; }

 private:
  double decay_;
  std::vector<NamedParameter> parameters_, averages_;
};

/// While a WithAverage exists, the parameters have the values of their averages. With null nothing changes.
class WithAverage {
 public:
  explicit WithAverage(MovingAverage* average) : average_(average) { swap(); }
  ~WithAverage() { swap(); }
  WithAverage(const WithAverage&) = delete;
  WithAverage& operator=(const WithAverage&) = delete;

 private:
  void swap() {
    if (average_ != nullptr) average_->swap();
  }
  MovingAverage* average_;
};

}}}  // namespace regard::REGARD_PRECISION::nn
