#pragma once

#include <vector>

#include "autograd/machine/real.h"

namespace regard::experiments {

/// The t that a Student variable with so many degrees of freedom exceeds, on both sides together, with this
/// probability (0 to 1).
double t_quantile(double probability, Index degrees_of_freedom);

/// A mean, and the interval that contains the true one.
struct Interval {
  double mean = 0, low = 0, high = 0;
};

/// Student's interval for the mean of independent numbers; it misses the true mean with the probability
/// `error`. If all numbers are equal it is that number; one number alone has an infinite interval.
Interval interval(const std::vector<double>& values, double error);

}  // namespace regard::experiments
