#pragma once

#include "autograd/tensor.h"

namespace regard::inline REGARD_PRECISION {

/// Softmax over the last axis: y_i = e^(x_i) / sum_j e^(x_j).
Tensor softmax(const Tensor& x);
/// log(softmax(x)) over the last axis, without overflow.
Tensor log_softmax(const Tensor& x);

constexpr Real layer_norm_epsilon = Real(1e-5);  // as torch.nn.LayerNorm

/// Layer normalisation over the last axis (Ba et al. 2016, eq. 4): (x - mean) / sqrt(variance + epsilon)
/// * weight + bias, the variance dividing by the extent. weight and bias have shape [columns].
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                  Real epsilon = layer_norm_epsilon);

/// layer_norm(x + dropout(sublayer)) in one pass: the end of every post-norm sublayer
/// (Vaswani et al. 2017, section 3.1). x and sublayer have the same shape.
Tensor residual_layer_norm(const Tensor& x, const Tensor& sublayer, Dropout dropout, const Tensor& weight,
                           const Tensor& bias, Real epsilon = layer_norm_epsilon);

/// Sets each value to 0 with the given probability p and scales the others by 1/(1-p)
/// (Srivastava et al. 2014). All axes but the last count as rows of the random decision.
Tensor dropout(const Tensor& x, Dropout dropout);

/// Throws Error naming `op` unless the probability is at least 0 and below 1. Every operation with a dropout
/// calls it.
void check_dropout(const char* op, Dropout dropout);

/// x + dropout(sublayer): the end of a pre-norm sublayer.
Tensor residual_dropout(const Tensor& x, const Tensor& sublayer, Dropout dropout);

}  // namespace regard::inline REGARD_PRECISION
