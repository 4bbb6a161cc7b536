// From which values a convolution starts.
#include "nn/convolution/conv2d.h"

#include "tests/catch.h"
#include "tests/nn/initial_values.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("convolutions start from Xavier for the product with patches, and biases of 0") {
  Random random(2);
  nn::Conv2d layer(20, 300, {.size = 3}, random);
  CHECK(layer.weight.shape() == Shape{300, 20, 3, 3});
  check_xavier(layer.weight.view({300, 180}));
  CHECK(all(layer.bias, 0));
}
