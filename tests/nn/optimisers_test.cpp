// Updates against arithmetic done by hand.
#include "nn/optimisers.h"

#include <algorithm>
#include <memory>

#include "autograd/machine/error.h"
#include "nn/module.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

Tensor parameter(const Numbers& values) {
  return nn::parameter(Tensor::from({to_index(values.size())}, std::span<const Real>(values)));
}

/// Leaves `gradient` in x, as the backward of sum(gradient * x) does.
void give(const Tensor& x, const Numbers& gradient) {
  sum(x * Tensor::from(x.shape(), std::span<const Real>(gradient))).backward();
}

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("Adam: three steps by hand") {
  // Gradients 2, -1, 1/2; beta1 0.9, beta2 0.98. Not yet corrected, the moments are
  //   m: 0.1 2 = 0.2         0.9 0.2 - 0.1 = 0.08              0.9 0.08 + 0.05 = 0.122
  //   v: 0.02 4 = 0.08       0.98 0.08 + 0.02 = 0.0984         0.98 0.0984 + 0.02/4 = 0.101432
  // and 1 - beta^t:
  //   m: 0.1                 0.19                              0.271
  //   v: 0.02                0.0396                            0.058808
  for (const double epsilon : {1e-9, 0.25}) {  // the large one shows that it is added outside the root
    const Tensor x = parameter({5});
    nn::Adam adam({{"x", x}}, {.epsilon = epsilon});
    const auto step = [&](double gradient) {
      give(x, {gradient});
      CHECK(adam.step({.learning_rate = 0.1}) == Approx(std::abs(gradient)).epsilon(1e-14));
      return x.item();
    };
    const double x1 = 5 - 0.1 * (0.2 / 0.1) / (std::sqrt(0.08 / 0.02) + epsilon);
    const double x2 = x1 - 0.1 * (0.08 / 0.19) / (std::sqrt(0.0984 / 0.0396) + epsilon);
    const double x3 = x2 - 0.1 * (0.122 / 0.271) / (std::sqrt(0.101432 / 0.058808) + epsilon);
    CHECK(step(2) == Approx(x1).epsilon(1e-14));
    CHECK(step(-1) == Approx(x2).epsilon(1e-14));
    CHECK(step(0.5) == Approx(x3).epsilon(1e-14));
  }
}

TEST_CASE("Adam's constants are those of the paper") {
  const nn::Adam::Settings settings;
  CHECK(settings.beta1 == 0.9);
  CHECK(settings.beta2 == 0.98);
  CHECK(settings.epsilon == 1e-9);
  CHECK(settings.weight_decay == 0);
}

TEST_CASE("AdamW: three steps by hand") {
  // The moments of the three gradients are those above. Before each update, x shrinks by 1 - 0.1 * 0.3.
  const Tensor x = parameter({5});
  nn::Adam adam({{"x", x}}, {.epsilon = 0.25, .weight_decay = 0.3});
  const auto step = [&](double gradient) {
    give(x, {gradient});
    adam.step({.learning_rate = 0.1});
    return x.item();
  };
  const double x1 = 0.97 * 5 - 0.1 * (0.2 / 0.1) / (std::sqrt(0.08 / 0.02) + 0.25);
  const double x2 = 0.97 * x1 - 0.1 * (0.08 / 0.19) / (std::sqrt(0.0984 / 0.0396) + 0.25);
  const double x3 = 0.97 * x2 - 0.1 * (0.122 / 0.271) / (std::sqrt(0.101432 / 0.058808) + 0.25);
  CHECK(step(2) == Approx(x1).epsilon(1e-14));
  CHECK(step(-1) == Approx(x2).epsilon(1e-14));
  CHECK(step(0.5) == Approx(x3).epsilon(1e-14));
}

TEST_CASE("AdamW: the numbers of torch.optim.AdamW") {
  // torch 2.14: AdamW([x], lr=0.1, betas=(0.9, 0.98), eps=1e-9, weight_decay=0.3), gradients (2, -1), (-1, 4)
  const Tensor x = parameter({5, -3});
  nn::Adam adam({{"x", x}}, {.weight_decay = 0.3});
  const auto step = [&](const Numbers& gradient) {
    give(x, gradient);
    adam.step({.learning_rate = 0.1});
    return numbers(x);
  };
  CHECK(error(step({2, -1}), Numbers{4.75000000005, -2.8100000001}) < 1e-15);
  CHECK(error(step({-1, 4}), Numbers{4.580789228710087, -2.7814149629004485}) < 1e-15);
}

TEST_CASE("AdamW of matrices alone: vectors move as without decay, to the bit") {
  const auto after_three_steps = [](const nn::Adam::Settings& settings) {
    const Tensor gain = parameter({5, -3}), bias = parameter({2}),
                 matrix = nn::parameter(Tensor::from({1, 2}, {5, -3}));
    nn::Adam adam({{"gain", gain}, {"matrix", matrix}, {"bias", bias}}, settings);
    for (const Numbers& gradient : {Numbers{2, -1}, Numbers{-1, 4}, Numbers{0, 3}}) {
      give(gain, gradient);
      give(matrix, gradient);
      give(bias, {gradient[0]});
      adam.step({.learning_rate = 0.1});
    }
    return std::vector<Numbers>{numbers(gain), numbers(matrix), numbers(bias)};
  };
  const auto none = after_three_steps({}), all = after_three_steps({.weight_decay = 0.3}),
             matrices = after_three_steps({.weight_decay = 0.3, .decayed_dimensions = 2});
  CHECK(matrices == std::vector<Numbers>{none[0], all[1], none[2]});
  for (std::size_t i = 0; i < 3; ++i) CHECK(none[i] != all[i]);
}

TEST_CASE("SGD: x -= learning_rate g") {
  const Tensor x = parameter({1, 2});
  nn::Sgd sgd({{"x", x}});
  give(x, {4, -8});
  CHECK(sgd.step({.learning_rate = 0.25}) == Approx(std::sqrt(80)));
  CHECK(numbers(x) == Numbers{0, 4});
  give(x, {1, 1});
  sgd.step({.learning_rate = 0.5});
  CHECK(numbers(x) == Numbers{-0.5, 3.5});
}

TEST_CASE("SGD with momentum: v = momentum v + g, x -= learning_rate v") {
  // v: 2, 0.5 2 - 1 = 0, 0.5 0 + 0.5 = 0.5, 0.25.
  const Tensor x = parameter({1});
  nn::Sgd sgd({{"x", x}}, 0.5);
  const auto step = [&](double gradient) {
    give(x, {gradient});
    sgd.step({.learning_rate = 0.1});
    return x.item();
  };
  CHECK(step(2) == Approx(0.8).epsilon(1e-15));
  CHECK(step(-1) == Approx(0.8).epsilon(1e-15));
  CHECK(step(0.5) == Approx(0.75).epsilon(1e-15));
  CHECK(step(0) == Approx(0.725).epsilon(1e-15));
}

TEST_CASE("clipping scales all gradients by one factor, and returns the norm before it") {
  // The norm of (3, 4, 12) is 13.
  const auto step = [](double clip_norm) {
    const Tensor x = parameter({0, 0}), y = parameter({0});
    nn::Sgd sgd({{"x", x}, {"y", y}});
    give(x, {3, 4});
    give(y, {12});
    CHECK(sgd.step({.learning_rate = 1, .clip_norm = clip_norm}) == Approx(13).epsilon(1e-15));
    return Numbers{x.data()[0], x.data()[1], y.item()};
  };
  CHECK(error(step(6.5), Numbers{-1.5, -2, -6}) < 1e-15);
  CHECK(error(step(1), Numbers{-3.0 / 13, -4.0 / 13, -12.0 / 13}) < 1e-15);
  CHECK(step(13) == Numbers{-3, -4, -12});
  CHECK(step(14) == Numbers{-3, -4, -12});
  CHECK(step(0) == Numbers{-3, -4, -12});  // no clipping at all
}

TEST_CASE("Adam clips as well") {
  // A large epsilon keeps the gradient's size visible: 0.1 (g / 2) / (|g| / 2 + 1) with g = 4.
  const Tensor x = parameter({0});
  nn::Adam adam({{"x", x}}, {.epsilon = 1});
  give(x, {4});
  CHECK(adam.step({.learning_rate = 0.1, .clip_norm = 2}) == Approx(4));
  CHECK(x.item() == Approx(-0.1 * 2 / 3).epsilon(1e-14));
}

TEST_CASE("clipping does not touch the weight decay") {
  // Adam's step does not change with the scale of the first gradient if epsilon is 0: 5 (1 - 0.1 * 0.3) -
  // 0.1.
  const auto step = [](double clip_norm, double weight_decay) {
    const Tensor x = parameter({5});
    nn::Adam adam({{"x", x}}, {.epsilon = 0, .weight_decay = weight_decay});
    give(x, {8});
    adam.step({.learning_rate = 0.1, .clip_norm = clip_norm});
    return x.item();
  };
  for (const double clip_norm : {0.0, 2.0, 0.1}) CHECK(step(clip_norm, 0.3) == Approx(4.75).epsilon(1e-14));
  CHECK(step(2, 0) == Approx(4.9).epsilon(1e-14));  // control: the decay is a part of it
}

TEST_CASE("a step leaves gradients of 0 behind") {
  for (const bool adam : {false, true}) {
    const Tensor x = parameter({1, 2, 3});
    const std::vector<nn::NamedParameter> list{{"x", x}};
    const std::unique_ptr<nn::Optimiser> optimiser =
        adam ? std::unique_ptr<nn::Optimiser>(new nn::Adam(list)) : std::make_unique<nn::Sgd>(list);
    give(x, {4, 5, 6});
    optimiser->step({.learning_rate = 0.1});
    CHECK(numbers(x.grad()) == Numbers{0, 0, 0});
  }
}

TEST_CASE("without a gradient in this step, SGD moves nothing and Adam goes on by its momentum") {
  const Tensor a = parameter({1}), b = parameter({1}), c = parameter({1});
  nn::Sgd sgd({{"a", a}, {"b", b}});
  give(a, {1});
  sgd.step({.learning_rate = 0.5});
  CHECK(a.item() == 0.5);
  CHECK(b.item() == 1);

  nn::Adam adam({{"c", c}});
  adam.step({.learning_rate = 0.5});
  CHECK(c.item() == 1);  // nothing yet: 0 / (0 + epsilon)
  give(c, {1});
  adam.step({.learning_rate = 0.5});
  const double before = c.item();
  adam.step({.learning_rate = 0.5});
  CHECK(c.item() < before);
}

TEST_CASE("gradients that are no numbers change nothing") {
  for (const double bad : {infinity, -infinity, infinity - infinity}) {
    const Tensor x = parameter({1, 2}), y = parameter({1, 2});
    nn::Adam adam({{"x", x}});
    nn::Sgd sgd({{"y", y}}, 0.9);
    give(x, {1, bad});
    give(y, {1, bad});
    CHECK_FALSE(std::isfinite(adam.step({.learning_rate = 0.1, .clip_norm = 1})));
    CHECK_FALSE(std::isfinite(sgd.step({.learning_rate = 0.1, .clip_norm = 1})));
    CHECK(numbers(x) == Numbers{1, 2});
    CHECK(numbers(y) == Numbers{1, 2});

    // Nor do they leave traces in moments: the next step is a first step.
    x.zero_grad();
    y.zero_grad();
    give(x, {1, -1});
    give(y, {1, -1});
    adam.step({.learning_rate = 0.5});
    sgd.step({.learning_rate = 0.5});
    CHECK(error(x, Numbers{0.5, 2.5}) < 1e-8);
    CHECK(numbers(y) == Numbers{0.5, 2.5});
  }
}

TEST_CASE("zero_grad makes the next step a first one, also after gradients that are no numbers") {
  const Tensor x = parameter({1, 2});
  nn::Sgd sgd({{"x", x}});
  give(x, {1, infinity});
  CHECK(sgd.step({.learning_rate = 0.5}) == infinity);
  sgd.zero_grad();
  CHECK(numbers(x.grad()) == Numbers{0, 0});
  give(x, {1, -1});
  sgd.step({.learning_rate = 0.5});
  CHECK(numbers(x) == Numbers{0.5, 2.5});
}

TEST_CASE("an optimiser without parameters is refused") {
  CHECK_ERROR(nn::Adam({}), "an optimiser has no parameters");
  CHECK_ERROR(nn::Sgd({}), "an optimiser has no parameters");
}

TEST_CASE("a parameter that two modules share takes one step, and its average is one") {
  const Tensor x = parameter({1, 2}), y = parameter({3});
  nn::Sgd sgd({{"encoder.x", x}, {"y", y}, {"decoder.x", x}});
  give(x, {4, -8});
  CHECK(sgd.step({.learning_rate = 0.25}) == Approx(std::sqrt(80)));
  CHECK(numbers(x) == Numbers{0, 4});
  const Tensor alone = parameter({0, 4}), other = parameter({3});
  nn::Adam twice({{"x", x}, {"x again", x}, {"y", y}}, {.weight_decay = 0.3, .decayed_dimensions = 1});
  nn::Adam once({{"x", alone}, {"y", other}}, {.weight_decay = 0.3, .decayed_dimensions = 1});
  for (const Tensor& each : {x, alone}) give(each, {1, 2});
  for (const Tensor& each : {y, other}) give(each, {5});
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
  const Tensor x = parameter({1, 2}), y = parameter({3});
  nn::Sgd first({{"y", y}, {"x", x}});
  give(x, {1, 1});
  first.step({.learning_rate = 0.5});
  nn::Sgd second({{"x", x}});
  give(x, {1, 1});
  CHECK_ERROR(first.step({.learning_rate = 0.5}), "an optimiser made later has taken over parameter x");
  CHECK_ERROR(first.zero_grad(), "has taken over parameter x");
  second.step({.learning_rate = 0.5});
  CHECK(numbers(x) == Numbers{0, 1});
}

TEST_CASE("an optimiser goes on from its state to the same bits") {
  const auto three_steps = [](nn::Optimiser& optimiser, const Tensor& x) {
    for (const double gradient : {0.3, -2.0, 0.7}) {
      give(x, {gradient, 1, -gradient});
      optimiser.step({.learning_rate = 0.1});
    }
  };
  for (const bool adam : {true, false}) {
    const auto make = [&](const Tensor& x) -> std::unique_ptr<nn::Optimiser> {
      if (adam) return std::make_unique<nn::Adam>(std::vector<nn::NamedParameter>{{"x", x}});
      return std::make_unique<nn::Sgd>(std::vector<nn::NamedParameter>{{"x", x}}, 0.9);
    };
    const Tensor undisturbed = parameter({1, 2, 3}), first = parameter({1, 2, 3});
    const auto whole = make(undisturbed), half = make(first);
    three_steps(*whole, undisturbed);
    three_steps(*whole, undisturbed);
    three_steps(*half, first);

    const Tensor second = parameter(numbers(first));
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
