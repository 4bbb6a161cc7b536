#pragma once

#include <vector>

#include "apps/translation/settings/model_settings.h"
#include "autograd/index.h"

namespace regard::bench {

/// The sizes of a batch. They are the numbers of rows in the products of a training step.
struct BatchSize {
  Index sentences = 0;
  Index source_tokens = 0, target_tokens = 0;  ///< with </s>

  Index tokens() const { return source_tokens + target_tokens; }
};

/// y[rows, out] = x[rows, in] W[out, in]^T, `times` times per step.
struct Product {
  Index rows, out, in, times;
};

/// Returns the products of all weights of a model in one forward pass. The vocabulary has
/// model.config.target_vocabulary entries. The products of attention without a weight (scores, and weighted
/// sums of values) are not included.
///
/// A recurrence counts as one large product of all tokens, as if all its states were known before. No program
/// can compute it so: a step needs the state of the step before, so the real products have one row per
/// sentence.
std::vector<Product> step_products(const translation::ModelSettings& model, const BatchSize& batch);

}  // namespace regard::bench
