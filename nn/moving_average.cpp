#include "nn/moving_average.h"

#include <algorithm>

#include "nn/kernels/optimisers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

MovingAverage::MovingAverage(const std::vector<NamedParameter>& parameters, double decay)
    : decay_(decay), parameters_(parameters) {
  for (const NamedParameter& parameter : parameters)
    averages_.push_back({parameter.name, parameter.tensor.clone()});
}

void MovingAverage::restart() {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    std::ranges::copy(parameters_[i].tensor.values(), averages_[i].tensor.data());
}

void MovingAverage::update(Index step) {
  const auto t = static_cast<double>(step);
  const double decay = std::min(decay_, (1 + t) / (10 + t));
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    kernels::moving_average_step(averages_[i].tensor.data(), parameters_[i].tensor.data(),
                                 averages_[i].tensor.size(), static_cast<Real>(decay));
}

void MovingAverage::swap() {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    std::ranges::swap_ranges(parameters_[i].tensor.values(), averages_[i].tensor.values());
}

}}}  // namespace regard::REGARD_PRECISION::nn
