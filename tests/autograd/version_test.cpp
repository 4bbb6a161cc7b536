// The version of a tensor's values: backward() must not compute with others than the forward has seen.
#include "autograd/ops.h"
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
    w.take_values(normal({2, 3}, 4));
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

TEST_CASE("a change of watched values is seen, whoever wrote them") {
  const Tensor w = leaves({normal({2, 3}, 2)})[0];
  w.watch_values();
  for (const double change : {0.0, 1e-16}) {  // the last bit of the smallest
    Tensor y = sum(multiply(w, w));
    CHECK_NOTHROW(backward(y, {.retain_graph = true}));
    w.data()[5] *= 2, w.data()[5] /= 2;
    CHECK_NOTHROW(backward(y, {.retain_graph = true}));
    std::swap(w.data()[0], w.data()[1]);
    CHECK_ERROR(y.backward(), refusal);
    y = sum(multiply(w, w));
    w.data()[5] += change * w.data()[5] * 2;
    if (change == 0)
      CHECK_NOTHROW(y.backward());
    else
      CHECK_ERROR(y.backward(), refusal);
  }
  // An input that the backward does not need may be gone by then.
  Tensor y;
  {
    const Tensor x = normal({2, 3}, 3);
    x.watch_values();
    y = sum(add(w, x));
  }
  poison_free_memory();
  CHECK_NOTHROW(y.backward());
}
