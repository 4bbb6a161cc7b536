#pragma once

#include <vector>

#include "autograd/index.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Exponential moving average of parameters (Polyak and Juditsky 1992 average all alike; this forgets): after
/// update t, average += (1 - d) (parameter - average), where d = min(decay, (1 + t) / (10 + t)), so that
/// the first, random weights are forgotten sooner. It wavers less than the weights themselves, and
/// often translates better.
class MovingAverage {
 public:
  /// Begins with the values of now.
  MovingAverage(const std::vector<NamedParameter>& parameters, double decay);

  /// Begins anew with the values of now.
  void restart();
  /// Takes up the values after update `step`, which counts from 1.
  void update(Index step);
  /// Exchanges parameters and averages; called again, changes them back.
  void swap();
  /// The averages, under the parameters' names.
  const std::vector<NamedParameter>& averages() const { return averages_; }

 private:
  double decay_;
  std::vector<NamedParameter> parameters_, averages_;
};

/// While one exists, the parameters have their averages' values. Null: nothing changes.
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
