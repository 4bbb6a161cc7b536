#pragma once

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

constexpr Real layer_norm_epsilon = Real(1e-5);  // as torch.nn.LayerNorm

/// Layer normalisation over the last axis (Ba et al. 2016, eq. 4): (x - mean) / sqrt(variance + epsilon)
/// * weight + bias, the variance dividing by the extent. weight and bias have shape [columns].
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                  Real epsilon = layer_norm_epsilon);

/// layer_norm(x + dropout(sublayer)) in one pass: the end of every post-norm sublayer
/// (Vaswani et al. 2017, section 3.1). x and sublayer have the same shape.
Tensor residual_layer_norm(const Tensor& x, const Tensor& sublayer, Dropout dropout, const Tensor& weight,
                           const Tensor& bias, Real epsilon = layer_norm_epsilon);

}}  // namespace regard::REGARD_PRECISION
