// The moving average of weights, against arithmetic done by hand.
#include <algorithm>

#include "nn/optimisers.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("averages forget at the rate of min(decay, (1 + t) / (10 + t))") {
  const Tensor x = nn::parameter(Tensor::from({2}, {1, 10}));
  nn::MovingAverage average({{"x", x}}, 0.25);
  CHECK(average.averages().front().name == "x");
  const Tensor mean = average.averages().front().tensor;
  std::ranges::copy(Numbers{2, 20}, x.data());
  average.update(1);  // 2/11 is less than 1/4
  CHECK(mean.at({0}) == Approx(2.0 / 11 * 1 + 9.0 / 11 * 2).epsilon(1e-14));
  CHECK(mean.at({1}) == Approx(2.0 / 11 * 10 + 9.0 / 11 * 20).epsilon(1e-14));
  const double before = mean.at({0});
  std::ranges::copy(Numbers{4, 20}, x.data());
  average.update(2);  // 3/12
  CHECK(mean.at({0}) == Approx(0.25 * before + 0.75 * 4).epsilon(1e-14));
  const double now = mean.at({0});
  average.update(100);  // 101/110 is more than 1/4
  CHECK(mean.at({0}) == Approx(0.25 * now + 0.75 * 4).epsilon(1e-14));
}

TEST_CASE("averages and parameters change places and back, to the bit") {
  const Tensor x = nn::parameter(normal({7, 5}, 1)), y = nn::parameter(normal({3}, 2));
  nn::MovingAverage average({{"x", x}, {"y", y}}, 0.9);
  const Tensor first_x = x.clone(), first_y = y.clone();
  std::ranges::copy(normal(x.shape(), 3).values(), x.data());
  std::ranges::copy(normal(y.shape(), 4).values(), y.data());
  const Tensor second_x = x.clone(), second_y = y.clone();
  average.swap();
  CHECK((same_bits(x, first_x) && same_bits(y, first_y)));
  CHECK(same_bits(average.averages()[1].tensor, second_y));
  average.swap();
  CHECK((same_bits(x, second_x) && same_bits(y, second_y)));
  average.restart();
  average.swap();
  CHECK((same_bits(x, second_x) && same_bits(y, second_y)));
}
