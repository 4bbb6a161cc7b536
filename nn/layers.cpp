#include "nn/layers.h"

#include <cmath>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

Linear::Linear(Index in, Index out, Random& random)
    : weight(parameter(xavier_uniform(out, in, random))), bias(parameter(Tensor::zeros({out}))) {}

void Linear::visit(Visitor& visitor) {
  visitor("weight", weight);
  if (bias) visitor("bias", bias);
}

Embedding::Embedding(Index vocabulary, Index d_model, Random& random)
    : weight(parameter(Tensor::normal({vocabulary, d_model}, 0,
                                      static_cast<Real>(1 / std::sqrt(static_cast<double>(d_model))),
                                      random))) {}

Tensor Embedding::operator()(std::span<const std::int32_t> ids) const {
  return embedding(weight, ids,
                   scaled ? static_cast<Real>(std::sqrt(static_cast<double>(weight.size(1)))) : Real{1});
}

void Embedding::visit(Visitor& visitor) { visitor("weight", weight); }

LayerNorm::LayerNorm(Index d_model)
    : weight(parameter(Tensor::full({d_model}, 1))), bias(parameter(Tensor::zeros({d_model}))) {}

void LayerNorm::visit(Visitor& visitor) {
  visitor("weight", weight);
  visitor("bias", bias);
}

FeedForward::FeedForward(Index d_model, Index d_ff, double dropout_rate, Random& random,
                         Activation activation_function)
    : linear1(d_model, d_ff, random),
      linear2(d_ff, d_model, random),
      dropout(dropout_rate),
      activation(activation_function) {}

Tensor FeedForward::operator()(const Tensor& x) {
  switch (activation) {
    case Activation::relu:
      return linear2(linear_relu(x, linear1.weight, linear1.bias, dropout.next()));
    case Activation::gelu:
      return linear2(linear_gelu(x, linear1.weight, linear1.bias, dropout.next()));
    case Activation::silu:
      return linear2(linear_silu(x, linear1.weight, linear1.bias, dropout.next()));
  }
  fail("FeedForward: there is no activation {}", static_cast<int>(activation));
}

void FeedForward::visit(Visitor& visitor) {
  visitor("linear1", linear1);
  visitor(dropout);
  visitor("linear2", linear2);
}

}}}  // namespace regard::REGARD_PRECISION::nn
