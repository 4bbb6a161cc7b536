// The differences of single precision: the exponential is our own, and numbers overflow and underflow early.
// Gradients are checked in double precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/gradcheck.h"
#include "autograd/kernels/softmax.h"
#include "autograd/machine/error.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

static_assert(sizeof(Real) == 4);

constexpr float largest_number = std::numeric_limits<float>::max();

/// The largest error of e^x, in units of the last place of the result, over x = low .. high. A row of a
/// softmax that begins with 0 holds e^x s, and in its first place s.
double worst_exponential(int version, double low, double high) {
  const Index columns = 1003, rows = 200;
  const Tensor x = Tensor::empty({rows, columns}), y = Tensor::empty({rows, columns});
  for (Index i = 0; i < x.size(); ++i)
    x.data()[i] =
        static_cast<float>(low + (high - low) * static_cast<double>(i) / static_cast<double>(x.size()));
  for (Index row = 0; row < rows; ++row) x.data()[row * columns] = 0;
  kernels::softmax_forward.versions[version](y.data(), x.data(), rows, columns);
  double worst = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const double scale = y.data()[i / columns * columns];
    const double expected = std::exp(static_cast<double>(x.data()[i]));
    const double last_place = std::ldexp(1.0, std::ilogb(expected) - 23);
    worst = std::max(worst, std::abs(y.data()[i] / scale - expected) / last_place);
  }
  return worst;
}

}  // namespace

TEST_CASE("the exponential is exact to two units in the last place, in every instruction set") {
  for (int version = 0; version <= static_cast<int>(processor_simd()); ++version) {
    INFO(to_string(static_cast<Simd>(version)));
    // Below -16 the sum stays near 1, so that nothing becomes subnormal. One half of a unit is the product's.
    CHECK(worst_exponential(version, -87, -16) < 2);
    CHECK(worst_exponential(version, -16, 0) < 2);
    CHECK(worst_exponential(version, -0.001, 0) < 2);
  }
}

TEST_CASE("the exponential ends in exact zeros, not in subnormal numbers") {
  const Tensor y = softmax(Tensor::from({6}, {0, -87.01f, -88, -104, -1e4f, -largest_number}));
  CHECK(y.at({0}) == 1);
  for (Index i = 1; i < 6; ++i) CHECK(y.at({i}) == 0);
}

TEST_CASE("softmax and its logarithm stay finite for scores of any size") {
  const Tensor x = Tensor::from({3, 3}, {1e4f, -1e4f, 0, -1e4f, -1e4f, -1e4f, 3e38f, 3e38f, -3e38f});
  const std::vector<Tensor> in = leaves({x});
  const Tensor y = softmax(in[0]), logs = log_softmax(in[0]);
  CHECK(error(y, Numbers{1, 0, 0, 1. / 3, 1. / 3, 1. / 3, 0.5, 0.5, 0}) < 1e-6);
  CHECK(logs.at({0, 1}) == -2e4f);
  CHECK(logs.at({1, 2}) == Approx(-std::log(3.0)).epsilon(1e-4));  // of -10,000 few digits are left
  for (const Tensor& result : {gradients(y, in)[0], gradients(log_softmax(slice(in[0], 0, 0, 2)), in)[0]})
    for (const Real value : result.values()) CHECK(std::isfinite(value));
}

TEST_CASE("sparsemax ends, and its weights sum to 1, where rounding moves its threshold up and down") {
  const Tensor scores =
      Tensor::from({9}, {99999.6953125f, 99999.8828125f, 100000.296875f, 99997.7890625f, 99999.0f,
                         99998.9765625f, 99999.6484375f, 100000.4609375f, 99998.21875f});
  const Tensor weights = normalise(scores, all_keys({{0, 1, 0, 9}}), Normaliser::sparsemax);
  CHECK(sum(weights).item() == Approx(1).epsilon(1e-6));
  // The support: 100000.46 and 100000.30, and the threshold (their sum - 1) / 2 = 99999.879; 99999.883 is
  // above.
  CHECK(weights.data()[7] == Approx(0.580729).epsilon(1e-5));
  CHECK(weights.data()[1] == Approx(0.002604).epsilon(1e-3));
  CHECK(weights.data()[0] == 0);
}

TEST_CASE("cross-entropy stays finite for logits of any size") {
  const std::vector<std::int32_t> targets{0, 1};
  const std::vector<Tensor> in = leaves({Tensor::from({2, 3}, {1e4f, -1e4f, 0, 1e4f, -1e4f, 0})});
  const Tensor loss = cross_entropy(in[0], targets);
  CHECK(loss.item() == Approx(1e4));  // 0 for the first row, 20,000 for the second
  CHECK(error(gradients(loss, in)[0] / normal({}, 4711), Numbers{0, 0, 0, 0.5, -0.5, 0}) < 1e-6);
}

TEST_CASE("attention stays finite for scores of any size") {
  const std::vector<Tensor> in =
      leaves({normal({5, 4}, 1) * 1000, normal({5, 4}, 2) * 1000, normal({5, 4}, 3)});
  const Tensor y = attention(in[0], in[1], in[2], {{0, 5, 0, 5}}, {2, true, {}});
  std::vector<Tensor> results = gradients(y, in);
  results.push_back(y.detach());
  for (const Tensor& result : results)
    for (const Real value : result.values()) CHECK(std::isfinite(value));
}

TEST_CASE("layer norm stays finite for rows without variance, and far from zero") {
  const std::vector<Tensor> in =
      leaves({Tensor::full({1, 64}, 1000), Tensor::full({64}, 2), normal({64}, 3)});
  const Tensor y = layer_norm(in[0], in[1], in[2]);
  CHECK(error(reshape(y, {64}), in[2].detach()) < 1e-5);
  for (const Tensor& gradient : gradients(y, in))
    for (const Real value : gradient.values()) CHECK(std::isfinite(value));

  const Tensor spread = normal({1, 64}, 4);
  const Tensor near = layer_norm(spread, in[1].detach(), in[2].detach());
  const Tensor far = layer_norm(spread + 1000, in[1].detach(), in[2].detach());
  CHECK(error(far, near) < 1e-3);  // 1000 leaves four decimals to a float
}

TEST_CASE("functions of one element reach their limits without NaN") {
  const Tensor x = Tensor::from({4}, {-largest_number, -100, 100, largest_number});
  for (const Tensor& y : {regard::tanh(x), sigmoid(x), relu(x), gelu(x), silu(x)})
    for (const Real value : y.values()) CHECK_FALSE(std::isnan(value));
  CHECK(silu(x).at({0}) == 0);
  const std::vector<Tensor> in = leaves({Tensor::from({2}, {-100, 100})});
  for (const auto& function : {regard::tanh, sigmoid, relu, gelu, silu})
    for (const Tensor& gradient : gradients(function(in[0]), in))
      for (const Real value : gradient.values()) CHECK(std::isfinite(value));
}

TEST_CASE("gelu in float is the normal distribution to a few units in the last place") {
  const Index count = 4001;
  const Tensor x = Tensor::empty({count});
  for (Index i = 0; i < count; ++i) x.data()[i] = static_cast<Real>(i - count / 2) / 200;
  const std::vector<Tensor> in = leaves({x});
  const Tensor y = gelu(in[0]), dx = gradients(y, in)[0], dy = normal(y.shape(), 4711);
  double y_error = 0, dx_error = 0;
  for (Index i = 0; i < count; ++i) {
    const double v = x.data()[i], below = std::erfc(-v / std::sqrt(2.0)) / 2;
    const double density = std::exp(-v * v / 2) / std::sqrt(2 * std::acos(-1.0));
    y_error = std::max(y_error, std::abs(y.data()[i] - v * below) / std::max(1.0, std::abs(v)));
    const double slope = below + v * density, cotangent = dy.data()[i];
    dx_error =
        std::max(dx_error, std::abs(dx.data()[i] - cotangent * slope) / std::max(1.0, std::abs(cotangent)));
  }
  CHECK(y_error < 2e-7);
  CHECK(dx_error < 3e-7);
}

TEST_CASE("thousands of terms of a loss are added without losing the small ones") {
  const Index rows = 20'000;
  const std::vector<std::int32_t> targets(to_size(rows), 1);
  const Tensor loss = cross_entropy(Tensor::zeros({rows, 3}), targets, {.divide_by = 1});
  CHECK(loss.item() == Approx(20'000 * std::log(3.0)).epsilon(1e-6));
}

TEST_CASE("a gradient check in float is refused, naming the library to link") {
  const std::string message =
      MESSAGE_OF(gradcheck([](const std::vector<Tensor>& in) { return in[0]; }, {normal({3}, 1)}));
  CHECK_THAT(message, ContainsSubstring("gradcheck") && ContainsSubstring("regard::autograd_f64"));
}
