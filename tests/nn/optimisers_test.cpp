// Updates against arithmetic done by hand.
#include "nn/optimisers.h"

#include <algorithm>
#include <memory>

#include "autograd/machine/error.h"
#include "nn/module.h"
#include "tests/catch.h"
#include "tests/nn/optimiser_steps.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("Adam: three steps by hand") {
  // Gradients 2, -1, 1/2; beta1 0.9, beta2 0.98. Not yet corrected, the moments are
  //   m: 0.1 2 = 0.2         0.9 0.2 - 0.1 = 0.08              0.9 0.08 + 0.05 = 0.122
  //   v: 0.02 4 = 0.08       0.98 0.08 + 0.02 = 0.0984         0.98 0.0984 + 0.02/4 = 0.101432
  // and 1 - beta^t:
  //   m: 0.1                 0.19                              0.271
  //   v: 0.02                0.0396                            0.058808
  for (const double epsilon : {1e-9, 0.25}) {  // the large one shows that it is added outside the root
    const Tensor x = parameter_of({5});
    nn::Adam adam({{"x", x}}, {.epsilon = epsilon});
    const auto step = [&](double gradient) {
      give_gradient(x, {gradient});
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
  const Tensor x = parameter_of({5});
  nn::Adam adam({{"x", x}}, {.epsilon = 0.25, .weight_decay = 0.3});
  const auto step = [&](double gradient) {
    give_gradient(x, {gradient});
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
  const Tensor x = parameter_of({5, -3});
  nn::Adam adam({{"x", x}}, {.weight_decay = 0.3});
  const auto step = [&](const Numbers& gradient) {
    give_gradient(x, gradient);
    adam.step({.learning_rate = 0.1});
    return numbers(x);
  };
  CHECK(error(step({2, -1}), Numbers{4.75000000005, -2.8100000001}) < 1e-15);
  CHECK(error(step({-1, 4}), Numbers{4.580789228710087, -2.7814149629004485}) < 1e-15);
}

TEST_CASE("AdamW of matrices alone: vectors move as without decay, to the bit") {
  const auto after_three_steps = [](const nn::Adam::Settings& settings) {
    const Tensor gain = parameter_of({5, -3}), bias = parameter_of({2}),
                 matrix = nn::parameter(Tensor::from({1, 2}, {5, -3}));
    nn::Adam adam({{"gain", gain}, {"matrix", matrix}, {"bias", bias}}, settings);
    for (const Numbers& gradient : {Numbers{2, -1}, Numbers{-1, 4}, Numbers{0, 3}}) {
      give_gradient(gain, gradient);
      give_gradient(matrix, gradient);
      give_gradient(bias, {gradient[0]});
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
  const Tensor x = parameter_of({1, 2});
  nn::Sgd sgd({{"x", x}});
  give_gradient(x, {4, -8});
  CHECK(sgd.step({.learning_rate = 0.25}) == Approx(std::sqrt(80)));
  CHECK(numbers(x) == Numbers{0, 4});
  give_gradient(x, {1, 1});
  sgd.step({.learning_rate = 0.5});
  CHECK(numbers(x) == Numbers{-0.5, 3.5});
}

TEST_CASE("SGD with momentum: v = momentum v + g, x -= learning_rate v") {
  // v: 2, 0.5 2 - 1 = 0, 0.5 0 + 0.5 = 0.5, 0.25.
  const Tensor x = parameter_of({1});
  nn::Sgd sgd({{"x", x}}, 0.5);
  const auto step = [&](double gradient) {
    give_gradient(x, {gradient});
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
    const Tensor x = parameter_of({0, 0}), y = parameter_of({0});
    nn::Sgd sgd({{"x", x}, {"y", y}});
    give_gradient(x, {3, 4});
    give_gradient(y, {12});
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
  const Tensor x = parameter_of({0});
  nn::Adam adam({{"x", x}}, {.epsilon = 1});
  give_gradient(x, {4});
  CHECK(adam.step({.learning_rate = 0.1, .clip_norm = 2}) == Approx(4));
  CHECK(x.item() == Approx(-0.1 * 2 / 3).epsilon(1e-14));
}

TEST_CASE("clipping does not touch the weight decay") {
  // Adam's step does not change with the scale of the first gradient if epsilon is 0: 5 (1 - 0.1 * 0.3) -
  // 0.1.
  const auto step = [](double clip_norm, double weight_decay) {
    const Tensor x = parameter_of({5});
    nn::Adam adam({{"x", x}}, {.epsilon = 0, .weight_decay = weight_decay});
    give_gradient(x, {8});
    adam.step({.learning_rate = 0.1, .clip_norm = clip_norm});
    return x.item();
  };
  for (const double clip_norm : {0.0, 2.0, 0.1}) CHECK(step(clip_norm, 0.3) == Approx(4.75).epsilon(1e-14));
  CHECK(step(2, 0) == Approx(4.9).epsilon(1e-14));  // control: the decay is a part of it
}

TEST_CASE("a step leaves gradients of 0 behind") {
  for (const bool adam : {false, true}) {
    const Tensor x = parameter_of({1, 2, 3});
    const std::vector<nn::NamedParameter> list{{"x", x}};
    const std::unique_ptr<nn::Optimiser> optimiser =
        adam ? std::unique_ptr<nn::Optimiser>(new nn::Adam(list)) : std::make_unique<nn::Sgd>(list);
    give_gradient(x, {4, 5, 6});
    optimiser->step(0.1);
    CHECK(numbers(x.grad()) == Numbers{0, 0, 0});
    if (!adam) CHECK(error(numbers(x), {0.6, 1.5, 2.4}) < 1e-6);  // the number alone is the learning rate
  }
}

TEST_CASE("without a gradient in this step, SGD moves nothing and Adam goes on by its momentum") {
  const Tensor a = parameter_of({1}), b = parameter_of({1}), c = parameter_of({1});
  nn::Sgd sgd({{"a", a}, {"b", b}});
  give_gradient(a, {1});
  sgd.step({.learning_rate = 0.5});
  CHECK(a.item() == 0.5);
  CHECK(b.item() == 1);

  nn::Adam adam({{"c", c}});
  adam.step({.learning_rate = 0.5});
  CHECK(c.item() == 1);  // nothing yet: 0 / (0 + epsilon)
  give_gradient(c, {1});
  adam.step({.learning_rate = 0.5});
  const double before = c.item();
  adam.step({.learning_rate = 0.5});
  CHECK(c.item() < before);
}
