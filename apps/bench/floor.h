#pragma once

#include <chrono>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "autograd/machine/real.h"
#include "nn/module.h"

// The floor of a training step is the time of its matrix products alone.

namespace regard::bench {

using TimePoint = std::chrono::steady_clock::time_point;

inline TimePoint now() { return std::chrono::steady_clock::now(); }

inline double seconds_since(TimePoint begin) { return std::chrono::duration<double>(now() - begin).count(); }

/// The sizes of a batch. They are the numbers of rows in the products of a training step.
struct BatchSize {
  Index sentences = 0;
  /// With </s>. An image has as many source tokens as it has pixels, and three more.
  Index source_tokens = 0, target_tokens = 0;

  Index tokens() const { return source_tokens + target_tokens; }
};

/// y[rows, out] = x[rows, in] W[out, in]^T, `times` times per step.
struct Product {
  Index rows, out, in;
  bool of_data = false;  ///< x are the pixels of images, which need no gradient
  Index times = 1;
};

/// Returns the products of all weights of a model in one forward pass. The products of attention without a
/// weight (scores, and weighted sums of values) are not included.
///
/// A recurrence counts as one large product of all tokens, as if all its states were known before. No program
/// can compute it so: a step needs the state of the step before, so the real products have one row per
/// sentence. A convolution counts as the product of its patches.
std::vector<Product> step_products(const std::vector<nn::NamedParameter>& parameters,
                                   const translation::ModelSettings& model, BatchSize batch);

/// Returns the seconds of all products of one training step: one product forward and two backward per
/// weight. Each thread computes one slab of rows, or of columns if there are more columns.
double floor_seconds(const std::vector<Product>& products);

/// Returns the number of multiplications and additions in them.
double floor_flops(const std::vector<Product>& products);

}  // namespace regard::bench
