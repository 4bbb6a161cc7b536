// Convolutions in bfloat16.
#include "autograd/low_precision/autocast.h"
#include "nn/convolution/convolution.h"
#include "tests/autograd/low_precision/float/low_precision_support.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

// A convolution with a window of one pixel is a linear layer.
TEST_CASE("bfloat16: a convolution rounds as a linear layer does", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  for (const Index in : {20, 600}) {  // all places in one block, and several blocks that add to one gradient
    INFO(in);
    const std::vector<Tensor> leaf = leaves({mixed({900, in}, 1), mixed({30, in}, 2), normal({30}, 3)});
    const Planes planes{{30, 30}};
    const Autocast autocast(Precision::bfloat16);
    const Tensor expected = linear(leaf[0], leaf[1], leaf[2]);
    const Tensor got = conv2d(leaf[0], planes, reshape(leaf[1], {30, in, 1, 1}), leaf[2], {.size = 1});
    CHECK(error(got, expected) < 1e-6);
    const std::vector<Tensor> expected_gradients = gradients(expected, leaf),
                              got_gradients = gradients(got, leaf);
    for (std::size_t i = 0; i < leaf.size(); ++i)
      CHECK(error(got_gradients[i], expected_gradients[i]) < 1e-6);
  }
}
