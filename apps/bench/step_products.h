#pragma once

#include <vector>

#include "apps/translation/settings/settings.h"
#include "autograd/real.h"

namespace regard::bench {

/// The sizes of a batch. They are the numbers of rows in the products of a training step.
struct BatchSize {
  Index sentences = 0;
  /// With </s>. An image has as many source tokens as it has pixels, and three more.
  Index source_tokens = 0, target_tokens = 0;

  Index tokens() const { return source_tokens + target_tokens; }
};

/// y[rows, out] = x[rows, in] W[out, in]^T, `times` times per step.
struct Product {
  Index rows, out, in, times;
  bool of_data = false;  ///< x are the pixels of images, which need no gradient
};

/// Returns the products of all weights of a model in one forward pass. The vocabulary has
/// model.config.target_vocabulary entries. The products of attention without a weight (scores, and weighted
/// sums of values) are not included.
///
/// A recurrence counts as one large product of all tokens, as if all its states were known before. No program
/// can compute it so: a step needs the state of the step before, so the real products have one row per
/// sentence. A convolution counts as the product of its patches (autograd/ops/convolution.cpp).
std::vector<Product> step_products(const translation::ModelSettings& model, const BatchSize& batch);

}  // namespace regard::bench
