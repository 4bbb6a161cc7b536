// The version of a tensor's values: backward() must not compute with others than the forward has seen.
#include <utility>

#include "autograd/ops.h"
#include "autograd/ops/linear_products.h"
#include "nn/optimisers.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {
const char* const refusal = "was changed after the forward";
}

TEST_CASE("backward refuses if an input of the forward has changed") {
  const Tensor x = normal({4, 3}, 1);
  const auto weight = [] { return leaves({normal({2, 3}, 2)})[0]; };
  // Control: nothing has changed, or only after the backward, or only a copy.
  {
    const Tensor w = weight(), copy = w.clone();
    const Tensor y = sum(linear(x, w, {}));
    copy.values_changed();
    y.backward();
    w.values_changed();
    sum(linear(x, w, {})).backward();
  }
  SECTION("an update of an optimiser") {
    const Tensor w = weight(), other = leaves({normal({2}, 3)})[0];
    nn::Sgd sgd({{"w", w}, {"other", other}});
    const Tensor y = sum(linear(x, w, {}));
    sgd.step({.learning_rate = 0.1});
    CHECK_ERROR(y.backward(), "backward: an input of 'linear' was changed after the forward");
    CHECK(sum(multiply(w.grad(), w.grad())).item() == 0);  // refused before a gradient was added
    sum(linear(x, w, {})).backward();
  }
  SECTION("the moving average of the weights") {
    const Tensor w = weight();
    nn::MovingAverage average({{"w", w}}, 0.9);
    const Tensor y = sum(linear(x, w, {}));
    average.swap();
    CHECK_ERROR(y.backward(), refusal);
  }
  SECTION("other memory") {
    const Tensor w = weight();
    const Tensor y = sum(linear(x, w, {}));
    take_values(w, normal({2, 3}, 4));
    CHECK_ERROR(y.backward(), refusal);
  }
  SECTION("an input without gradient, said through a view of it") {
    const Tensor w = weight();
    const Tensor y = sum(linear(x, w, {}));
    x.view({3}).data()[0] += 1;
    x.view({3}).values_changed();
    CHECK_ERROR(y.backward(), refusal);
  }
  SECTION("a graph that is retained") {
    const Tensor w = weight();
    const Tensor y = sum(linear(x, w, {}));
    backward(y, {.retain_graph = true});
    w.values_changed();
    CHECK_ERROR(y.backward(), refusal);
  }
}

TEST_CASE("a change that nobody said is seen by who watches the values") {
  const Tensor w = leaves({normal({2, 3}, 2)})[0];
  CHECK_FALSE(w.version()->watched());
  w.version()->watch(
      [&, last = w.clone()]() mutable { return !same_bits(std::exchange(last, w.clone()), w); });
  CHECK(w.version()->watched());
  Tensor y = sum(multiply(w, w));
  CHECK_NOTHROW(backward(y, {.retain_graph = true}));
  w.data()[5] *= 2, w.data()[5] /= 2;
  CHECK_NOTHROW(backward(y, {.retain_graph = true}));
  std::swap(w.data()[0], w.data()[1]);
  CHECK_ERROR(backward(y, {.retain_graph = true}), refusal);
  CHECK_ERROR(y.backward(), refusal);  // also when it is asked again
  y = sum(multiply(w, w));
  CHECK_NOTHROW(y.backward());
}
