#pragma once

#include <cstdint>
#include <span>

#include "autograd/machine/real.h"
#include "autograd/ops.h"
#include "nn/dropout.h"
#include "nn/module.h"

// Layers with parameters: Linear, Embedding, LayerNorm, FeedForward.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// y = x weight^T + bias for x[rows, in]; weight[out, in] from Xavier, bias 0.
class Linear : public Module {
 public:
  Linear(Index in, Index out, Random& random);
  /// With the weight of another layer, which is tied to it. An empty bias: none.
  explicit Linear(const Tensor& shared_weight, const Tensor& own_bias = {})
      : weight(shared_weight), bias(own_bias) {}
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }  ///< [rows, out]
  void visit(Visitor& visitor) override;

  Tensor weight, bias;
};

/// One row of weight[vocabulary, d_model] for each id, times sqrt(d_model) if it is scaled (Vaswani et al.
/// 2017, section 3.4). Initially normal with deviation 1/sqrt(d_model), so that what comes out has deviation
/// 1.
class Embedding : public Module {
 public:
  Embedding(Index vocabulary, Index d_model, Random& random);
  /// Uses the weight of another embedding: the two are tied.
  explicit Embedding(const Tensor& shared_weight) : weight(shared_weight) {}
  /// [ids, d_model]; Error for an id outside the vocabulary.
  Tensor operator()(std::span<const std::int32_t> ids) const;
  void visit(Visitor& visitor) override;

  Tensor weight;
  bool scaled = true;
};

/// (x - mean) / sqrt(variance + 1e-5) * weight + bias over the last axis (Ba et al. 2016).
class LayerNorm : public Module {
 public:
  explicit LayerNorm(Index d_model);
  Tensor operator()(const Tensor& x) const { return layer_norm(x, weight, bias); }
  /// LayerNorm(x + dropout(sublayer)) in one pass.
  Tensor operator()(const Tensor& x, const Tensor& sublayer, DropoutMask dropout) const {
    return residual_layer_norm(x, sublayer, dropout, weight, bias);
  }
  void visit(Visitor& visitor) override;

  Tensor weight, bias;
};

/// The nonlinear function between the two products of a feed-forward network.
enum class Activation {
  relu,  ///< max(0, x)
  gelu,  ///< x Phi(x) (Hendrycks and Gimpel 2016)
  silu   ///< x / (1 + e^-x), also called swish (Ramachandran et al. 2017)
};

/// FFN(x) = f(x W1^T + b1) W2^T + b2 with the activation f, whose result is under dropout. ReLU is the
/// activation of Vaswani et al. 2017, eq. 2.
class FeedForward : public Module {
 public:
  FeedForward(Index d_model, Index d_ff, double dropout_rate, Random& random,
              Activation activation_function = Activation::relu);
  Tensor operator()(const Tensor& x);  ///< x[rows, d_model] -> the same shape
  void visit(Visitor& visitor) override;

  Linear linear1, linear2;
  Dropout dropout;
  Activation activation;
};

}}}  // namespace regard::REGARD_PRECISION::nn
