#pragma once

#include <cstdint>
#include <span>

#include "autograd/index.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

struct CrossEntropyOptions {
  /// The target distribution is (1 - label_smoothing) onehot + label_smoothing / vocabulary, as PyTorch's
  /// (Szegedy et al. 2016, section 7). In [0, 1).
  Real label_smoothing = 0;
  /// Divisor of the sum over targets. 0: the number of targets. Micro-batches of one optimiser step give the
  /// number of targets of the whole step, so that their gradients add up to the gradient of one large batch.
  Index divide_by = 0;
  /// Receives log softmax(logits)_target of each row, [targets], without a gradient, unless it is null.
  Tensor* log_probabilities = nullptr;
};

/// Mean of -sum_i q_i log softmax(logits)_i over the rows of logits[targets, vocabulary]. A scalar.
/// Throws Error for a target outside the vocabulary, or when there are no targets.
Tensor cross_entropy(const Tensor& logits, std::span<const std::int32_t> targets,
                     const CrossEntropyOptions& options = {});

/// cross_entropy(x weight^T, targets) for x[targets, d_model] and weight[vocabulary, d_model], one block of
/// rows at a time: the matrix of all logits never exists. The gradients are computed together with the loss.
Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, std::span<const std::int32_t> targets,
                            const CrossEntropyOptions& options = {});

}}  // namespace regard::REGARD_PRECISION
