#pragma once

#include <cstdint>
#include <span>

#include "autograd/ops.h"
#include "autograd/ops/convolution.h"
#include "autograd/random.h"
#include "autograd/real.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// Dropout (Srivastava et al. 2014) of one place in a network: in training it sets values to 0 with the given
/// probability and scales the others by 1/(1-p); in evaluation it does nothing. No mask is stored. A key,
/// made of seed, step, part of the batch, layer and call (RandomStream, autograd/random.h), decides each
/// element; the backward uses the same key again. For attention weights an element is a head, a query and a
/// key of a sentence.
class Dropout {
 public:
  /// Throws Error unless 0 <= probability < 1.
  explicit Dropout(double probability);

  Tensor operator()(const Tensor& x) { return dropout(x, next()); }

  /// The dropout of the next call, for operations that apply it themselves.
  DropoutMask next() {
    if (!training_ || probability_ == 0) return {};
    const DropoutMask result{probability_, stream_.key()};
    ++stream_.call;
    return result;
  }

  /// The key of the next call, for a layer that makes random decisions of its own.
  std::uint64_t next_key() {
    const std::uint64_t key = stream_.key();
    ++stream_.call;
    return key;
  }
  bool training() const { return training_; }
  /// The step that set_random() was given.
  std::uint32_t step() const { return stream_.step; }

  void set_training(bool training) { training_ = training; }
  void set_random(const RandomStream& stream) { stream_ = stream; }

 private:
  Real probability_;
  bool training_ = true;
  RandomStream stream_;
};

/// y = x weight^T + bias for x[rows, in]; weight[out, in] from Xavier, bias 0.
class Linear : public Module {
 public:
  Linear(Index in, Index out, Random& random);
  /// With the weight of another layer, which is tied to it. An empty bias: none.
  explicit Linear(const Tensor& shared_weight, const Tensor& own_bias = {})
      : weight(shared_weight), bias(own_bias) {}
  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
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
  Tensor operator()(const Tensor& x);
  void visit(Visitor& visitor) override;

  Linear linear1, linear2;
  Dropout dropout;
  Activation activation;
};

/// A convolution with a square window (autograd/ops/convolution.h), as torch.nn.Conv2d: weight[out, in, size,
/// size] and bias[out]. The weight is a matrix that multiplies patches of size * size * in numbers, so it
/// comes from Xavier for that matrix; the bias is 0.
class Conv2d : public Module {
 public:
  Conv2d(Index in, Index out, const SlidingWindow& sliding_window, Random& random);

  /// x[pixels, in] of these planes -> [places, out].
  Tensor operator()(const Tensor& x, const Planes& planes) const {
    return conv2d(x, planes, weight, bias, window);
  }
  void visit(Visitor& visitor) override;

  SlidingWindow window;
  Tensor weight, bias;
};

}}}  // namespace regard::REGARD_PRECISION::nn
