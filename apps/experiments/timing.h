#pragma once

#include <functional>
#include <vector>

#include "autograd/real.h"

namespace regard::experiments {

/// The median of the milliseconds that `work` takes, over some calls after a first one that does not count.
double milliseconds(Index calls, const std::function<void()>& work);

/// What a layer is measured on. Numbers of an axis, so not whole ones.
struct LayerShape {
  double length;  ///< words of a sentence
  double width;
  double sentences = 1, heads = 1;
};

// Forward and backward, with random inputs and a random cotangent.

/// softmax(Q K^T / sqrt(d_k)) V alone.
double attention_milliseconds(Index calls, const LayerShape& shape);
/// The steps of a GRU, without the products with its inputs.
double recurrence_milliseconds(Index calls, const LayerShape& shape);
/// The whole multi-head layer, with its projections.
double multi_head_milliseconds(Index calls, const LayerShape& shape);

/// The slope of the line through (log x, log y): the exponent of a power law.
double exponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace regard::experiments
