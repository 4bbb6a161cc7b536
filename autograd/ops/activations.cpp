#include "autograd/ops/activations.h"

#include "autograd/kernels/activations.h"
#include "autograd/operation.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// What the backward pass reads: x or y.
enum class Saved { input, output };

template <class Forward, class Backward>
Tensor activation(const char* name, const Tensor& x, const Forward& forward, Saved saved,
                  const Backward& backward) {
  const Operation op(name);
  const Tensor y = Tensor::empty(x.shape());
  forward(y.data(), x.data(), x.size());
  const Tensor kept = saved == Saved::input ? x : y.detach();
  return op.record(y, {x}, [kept, backward](BackwardContext& context) {
    backward(context.input_grad(0), context.output_grad(), kept.data(), kept.size());
  });
}

}  // namespace

// The equations stand above the kernels (autograd/kernels/activations.h).

Tensor relu(const Tensor& x) {
  return activation("relu", x, kernels::relu_forward, Saved::output, kernels::relu_backward);
}

Tensor tanh(const Tensor& x) {
  return activation("tanh", x, kernels::tanh_forward, Saved::output, kernels::tanh_backward);
}

Tensor sigmoid(const Tensor& x) {
  return activation("sigmoid", x, kernels::sigmoid_forward, Saved::output, kernels::sigmoid_backward);
}

Tensor gelu(const Tensor& x) {
  return activation("gelu", x, kernels::gelu_forward, Saved::input, kernels::gelu_backward);
}

}}  // namespace regard::REGARD_PRECISION
