// Optimisers at their limits: gradients that are no numbers, shared parameters, wrong states, and resuming.
#include <algorithm>
#include <memory>

#include "autograd/machine/error.h"
#include "nn/module.h"
#include "nn/optimisers.h"
#include "tests/catch.h"
#include "tests/nn/optimiser_steps.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
}  // namespace

TEST_CASE("gradients that are no numbers change nothing") {
  for (const double bad : {infinity, -infinity, infinity - infinity}) {
    const Tensor x = parameter_of({1, 2}), y = parameter_of({1, 2});
    nn::Adam adam({{"x", x}});
    nn::Sgd sgd({{"y", y}}, 0.9);
    give_gradient(x, {1, bad});
    give_gradient(y, {1, bad});
    CHECK_FALSE(std::isfinite(adam.step({.learning_rate = 0.1, .clip_norm = 1})));
    CHECK_FALSE(std::isfinite(sgd.step({.learning_rate = 0.1, .clip_norm = 1})));
    CHECK(numbers(x) == Numbers{1, 2});
    CHECK(numbers(y) == Numbers{1, 2});

    // Nor do they leave traces in moments: the next step is a first step.
    x.zero_grad();
    y.zero_grad();
    give_gradient(x, {1, -1});
    give_gradient(y, {1, -1});
    adam.step({.learning_rate = 0.5});
    sgd.step({.learning_rate = 0.5});
    CHECK(error(x, Numbers{0.5, 2.5}) < 1e-8);
    CHECK(numbers(y) == Numbers{0.5, 2.5});
  }
}

TEST_CASE("zero_grad makes the next step a first one, also after gradients that are no numbers") {
  const Tensor x = parameter_of({1, 2});
  nn::Sgd sgd({{"x", x}});
  give_gradient(x, {1, infinity});
  CHECK(sgd.step({.learning_rate = 0.5}) == infinity);
  sgd.zero_grad();
  CHECK(numbers(x.grad()) == Numbers{0, 0});
  give_gradient(x, {1, -1});
  sgd.step({.learning_rate = 0.5});
  CHECK(numbers(x) == Numbers{0.5, 2.5});
}

TEST_CASE("an optimiser without parameters is refused") {
  CHECK_ERROR(nn::Adam({}), "an optimiser has no parameters");
  CHECK_ERROR(nn::Sgd({}), "an optimiser has no parameters");
}

TEST_CASE("a parameter that two modules share takes one step, and its average is one") {
  const Tensor x = parameter_of({1, 2}), y = parameter_of({3});
  nn::Sgd sgd({{"encoder.x", x}, {"y", y}, {"decoder.x", x}});
  give_gradient(x, {4, -8});
  CHECK(sgd.step({.learning_rate = 0.25}) == Approx(std::sqrt(80)));
  CHECK(numbers(x) == Numbers{0, 4});
  const Tensor alone = parameter_of({0, 4}), other = parameter_of({3});
  nn::Adam twice({{"x", x}, {"x again", x}, {"y", y}}, {.weight_decay = 0.3, .decayed_dimensions = 1});
  nn::Adam once({{"x", alone}, {"y", other}}, {.weight_decay = 0.3, .decayed_dimensions = 1});
  for (const Tensor& each : {x, alone}) give_gradient(each, {1, 2});
  for (const Tensor& each : {y, other}) give_gradient(each, {5});
  twice.step({.learning_rate = 0.1});
  once.step({.learning_rate = 0.1});
  CHECK((numbers(x) == numbers(alone) && numbers(y) == numbers(other)));
  nn::MovingAverage average({{"x", x}, {"x again", x}}, 0.5);
  std::ranges::copy(Numbers{7, 8}, x.data());
  for (int i = 0; i < 2; ++i) average.swap();
  CHECK(numbers(x) == Numbers{7, 8});
}

TEST_CASE("an update of one tensor refuses means of another shape and steps below 1") {
  const Tensor one = Tensor::full({2, 3}, 1), other = Tensor::full({3, 2}, 1);
  CHECK_NOTHROW(nn::adam_update(one, one.clone(), {one.clone(), one.clone()}, 1, 0.1, {}));
  CHECK_ERROR(nn::adam_update(one, other, {one, one}, 1, 0.1, {}), "of the shape [3, 2] does not fit");
  CHECK_ERROR(nn::adam_update(one, one, {other, one}, 1, 0.1, {}), "of the shape [3, 2] does not fit");
  CHECK_ERROR(nn::adam_update(one, one, {one, other}, 1, 0.1, {}), "the values of the shape [2, 3]");
  CHECK_ERROR(nn::adam_update(one, one, {one, one}, 0, 0.1, {}), "the steps count from 1; this one is 0");
}

TEST_CASE("of two optimisers for a parameter the last one made may step, the other says so") {
  const Tensor x = parameter_of({1, 2}), y = parameter_of({3});
  nn::Sgd first({{"y", y}, {"x", x}});
  give_gradient(x, {1, 1});
  first.step({.learning_rate = 0.5});
  nn::Sgd second({{"x", x}});
  give_gradient(x, {1, 1});
  CHECK_ERROR(first.step({.learning_rate = 0.5}), "an optimiser made later has taken over parameter x");
  CHECK_ERROR(first.zero_grad(), "has taken over parameter x");
  second.step({.learning_rate = 0.5});
  CHECK(numbers(x) == Numbers{0, 1});
}

TEST_CASE("an optimiser goes on from its state to the same bits") {
  const auto three_steps = [](nn::Optimiser& optimiser, const Tensor& x) {
    for (const double gradient : {0.3, -2.0, 0.7}) {
      give_gradient(x, {gradient, 1, -gradient});
      optimiser.step({.learning_rate = 0.1});
    }
  };
  for (const bool adam : {true, false}) {
    const auto make = [&](const Tensor& x) -> std::unique_ptr<nn::Optimiser> {
      if (adam) return std::make_unique<nn::Adam>(std::vector<nn::NamedParameter>{{"x", x}});
      return std::make_unique<nn::Sgd>(std::vector<nn::NamedParameter>{{"x", x}}, 0.9);
    };
    const Tensor undisturbed = parameter_of({1, 2, 3}), first = parameter_of({1, 2, 3});
    const auto whole = make(undisturbed), half = make(first);
    three_steps(*whole, undisturbed);
    three_steps(*whole, undisturbed);
    three_steps(*half, first);

    const Tensor second = parameter_of(numbers(first));
    const auto rest = make(second), forgetful = make(first);
    const auto from = half->state(), to = rest->state();
    REQUIRE(from.size() == to.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      CHECK(from[i].name == to[i].name);
      std::ranges::copy(from[i].tensor.values(), to[i].tensor.data());
    }
    rest->set_steps(half->steps());
    CHECK(rest->steps() == 3);
    three_steps(*rest, second);
    CHECK(same_bits(second, undisturbed));
    three_steps(*forgetful, first);  // without the state it goes elsewhere
    CHECK_FALSE(same_bits(first, undisturbed));
  }
}
