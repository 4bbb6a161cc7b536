// What an Autocast keeps, and for how long.
#include "autograd/low_precision/autocast.h"

#include <atomic>
#include <thread>

#include "autograd/machine/memory.h"
#include "autograd/ops.h"
#include "nn/optimisers.h"
#include "tests/autograd/low_precision/float/low_precision_support.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("bfloat16: a weight is copied once in an Autocast, and again in the next", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Tensor x = normal({4, 8}, 1), w = normal({3, 8}, 2);
  Tensor before, within;
  {
    const Autocast autocast(Precision::bfloat16);
    before = linear(x, w, {});
    w.data()[0] += 5;
    within = linear(x, w, {});
  }
  CHECK(same_bits(before, within));
  const Autocast autocast(Precision::bfloat16);
  CHECK(error(linear(x, w, {}), before) > 0.1);
}

TEST_CASE("bfloat16: no copy of a weight outlives an update, whoever keeps it", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const std::vector<Tensor> leaf = leaves({normal({4, 300}, 1), normal({200, 300}, 2)});
  nn::Sgd sgd({{"w", leaf[1]}});
  const auto fresh = [&] {
    const Autocast autocast(Precision::bfloat16);
    return linear(leaf[0], leaf[1].clone(), {});
  };
  const auto update = [&] {
    backward(linear(leaf[0], leaf[1], {}), {.cotangent = normal({4, 200}, 3)});
    sgd.step({.learning_rate = 0.1});
  };
  Tensor kept, within;
  {
    const Autocast autocast(Precision::bfloat16);
    kept = linear(leaf[0], leaf[1], {});
    update();
    within = linear(leaf[0], leaf[1], {});
    CHECK(error(within, kept) > 0.1);
  }
  CHECK(same_bits(within, fresh()));
  update();
  const Autocast autocast(Precision::bfloat16);  // the results above still have the copies of their Autocasts
  CHECK(same_bits(linear(leaf[0], leaf[1], {}), fresh()));
}

TEST_CASE("bfloat16: many updates in one Autocast keep one copy of each weight", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const std::vector<Tensor> leaf = leaves({normal({4, 300}, 1), normal({200, 300}, 2)});
  const Autocast autocast(Precision::bfloat16);
  const auto step = [&] {
    gradients(linear(leaf[0], leaf[1], {}), leaf);
    leaf[1].values_changed();
    return memory_statistics().in_use;
  };
  step();
  const std::size_t after_two = step();
  for (int i = 0; i < 200; ++i) step();
  CHECK(step() == after_two);
}

TEST_CASE(
    "bfloat16: the weights of one optimiser, which share their memory and their version, have a copy each",
    "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Tensor x = normal({4, 30}, 1);
  const std::vector<Tensor> leaf = leaves({normal({20, 30}, 2), normal({20, 30}, 3)});
  const auto alone = [&](const Tensor& w) {
    const Autocast autocast(Precision::bfloat16);
    return linear(x, w.clone(), {});
  };
  nn::Sgd sgd({{"first", leaf[0]}, {"second", leaf[1]}});
  REQUIRE(leaf[0].version() == leaf[1].version());
  const Autocast autocast(Precision::bfloat16);
  for (int twice = 0; twice < 2; ++twice)
    for (const Tensor& w : leaf) CHECK(same_bits(linear(x, w, {}), alone(w)));
  CHECK(error(alone(leaf[0]), alone(leaf[1])) > 0.1);
}

TEST_CASE("bfloat16: copies of weights that are gone are forgotten while their Autocast goes on",
          "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const NoGrad no_grad;
  const Tensor x = normal({4, 300}, 1), w = normal({200, 300}, 2);
  constexpr std::size_t copy = 200 * 300 * 2;
  const Autocast autocast(Precision::bfloat16);
  const std::size_t before = memory_statistics().in_use;
  for (int i = 0; i < 1000; ++i) linear(x, w.clone(), {});
  CHECK(memory_statistics().in_use < before + 200 * copy);
  CHECK(memory_statistics().in_use >= before + copy);  // control: an Autocast keeps copies
}

TEST_CASE("bfloat16: threads with an Autocast each share their tensors", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Tensor x = normal({4, 30}, 1), w = normal({20, 30}, 2);
  const auto product = [&] {
    const Autocast autocast(Precision::bfloat16);
    return linear(x, w, {});
  };
  const Tensor expected = product();
  std::atomic<int> wrong = 0;
  const auto repeat = [&] {
    for (int i = 0; i < 2000; ++i) wrong += !same_bits(product(), expected);
  };
  std::thread other(repeat);
  repeat();
  other.join();
  CHECK(wrong == 0);
}

TEST_CASE("bfloat16: an input that has changed is rounded again in the next Autocast", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const std::vector<Tensor> leaf = leaves({normal({4, 8}, 1), normal({3, 8}, 2)});
  std::vector<Tensor> results;  // their graphs own the rounded inputs
  for (int i = 0; i < 2; ++i) {
    const Autocast autocast(Precision::bfloat16);
    results.push_back(linear(leaf[0], leaf[1], {}));
    leaf[0].data()[0] += 5;
  }
  CHECK(error(results[1], results[0]) > 0.1);
}

TEST_CASE("bfloat16: the backward may run after the Autocast", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const std::vector<Tensor> leaf = leaves({normal({20, 30}, 1), normal({40, 30}, 2), normal({40}, 3)});
  Tensor y;
  std::vector<Tensor> within;
  {
    const Autocast autocast(Precision::bfloat16);
    within = gradients(linear_relu(leaf[0], leaf[1], leaf[2]), leaf);
    y = linear_relu(leaf[0], leaf[1], leaf[2]);
  }
  CHECK(same_bits(gradients(y, leaf), within));
}

TEST_CASE("bfloat16: the copies of the weights end with their Autocast", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const std::vector<Tensor> leaf = leaves({normal({4, 300}, 1), normal({200, 300}, 2)});
  constexpr std::size_t copy = 200 * 300 * 2;
  const auto in_use = [] { return memory_statistics().in_use; };
  gradients(linear(leaf[0], leaf[1], {}), leaf);  // the leaves have memory for their gradients now
  const std::size_t before = in_use();
  {
    const Autocast autocast(Precision::bfloat16);
    gradients(linear(leaf[0], leaf[1], {}), leaf);
    CHECK(in_use() >= before + 2 * copy);
  }
  CHECK(in_use() == before);
}

TEST_CASE("bfloat16: the outer Autocast goes on when an inner one ends", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Tensor x = normal({4, 8}, 1), w = normal({3, 8}, 2);
  const Tensor exact = linear(x, w, {});
  {
    const Autocast outer(Precision::bfloat16);
    const Tensor rounded = linear(x, w, {});
    CHECK(error(rounded, exact) > 1e-4);
    {
      const Autocast inner(Precision::float32);
      CHECK(same_bits(linear(x, w, {}), exact));
    }
    CHECK(OnThread<Autocast>::innermost() == &outer);
    CHECK(same_bits(linear(x, w, {}), rounded));
  }
  CHECK(OnThread<Autocast>::innermost() == nullptr);
  CHECK(same_bits(linear(x, w, {}), exact));
}
