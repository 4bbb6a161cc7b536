#include "nn/convolution/conv2d.h"

#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

Conv2d::Conv2d(Index in, Index out, const SlidingWindow& sliding_window, Random& random)
    : window(sliding_window),
      weight(parameter(xavier_uniform(out, in * window.size * window.size, random)
                           .view({out, in, window.size, window.size}))),
      bias(parameter(Tensor::zeros({out}))) {}

void Conv2d::visit(Visitor& visitor) {
  visitor("weight", weight);
  visitor("bias", bias);
}

}}}  // namespace regard::REGARD_PRECISION::nn
