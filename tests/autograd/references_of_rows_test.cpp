// Softmax, layer norm and cross-entropy compared with plain loops in double precision.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "autograd/machine/error.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

const double row_rounding = sizeof(Real) == sizeof(double) ? 1e-12 : 1e-5;

/// Of one row.
Numbers softmax_of(const Numbers& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  Numbers y;
  double sum = 0;
  for (const double value : x) sum += std::exp(value - largest);
  for (const double value : x) y.push_back(std::exp(value - largest) / sum);
  return y;
}

}  // namespace

TEST_CASE("softmax, its logarithm and layer norm over rows") {
  const Index width = GENERATE(3, 7, 8, 31, 64, 127, 300);  // with and without remainders of vectors
  const auto columns = to_size(width);
  const double n = static_cast<double>(width);
  const Tensor x = normal({2, 3, width}, 1), weight = normal({width}, 2), bias = normal({width}, 3);
  Numbers soft, logs, norms;
  for (std::size_t row = 0; row < 6; ++row) {
    const auto first = to_index(row);
    const Numbers v = numbers(x.view({width}, first * width));
    double mean = 0, variance = 0;
    for (const double value : v) mean += value / n;
    for (const double value : v) variance += (value - mean) * (value - mean) / n;
    const Numbers p = softmax_of(v);
    for (std::size_t i = 0; i < columns; ++i) {
      soft.push_back(p[i]);
      logs.push_back(std::log(p[i]));
      norms.push_back((v[i] - mean) / std::sqrt(variance + 1e-5) * numbers(weight)[i] + numbers(bias)[i]);
    }
  }
  CHECK(error(softmax(x), soft) < row_rounding);
  CHECK(error(log_softmax(x), logs) < row_rounding);
  CHECK(error(layer_norm(x, weight, bias), norms) < row_rounding);
}

TEST_CASE("layer norm's epsilon stands inside the square root") {
  const Tensor one = Tensor::full({2}, 1), zero = Tensor::zeros({2});
  const Tensor x = Tensor::from({2}, {Real(-0.01), Real(0.01)});  // variance 1e-4
  CHECK(layer_norm(x, one, zero).at({1}) == Approx(0.01 / std::sqrt(1.1e-4)).epsilon(row_rounding));
  CHECK(layer_norm(x, one, zero, Real(0.5)).at({1}) ==
        Approx(0.01 / std::sqrt(0.5001)).epsilon(row_rounding));
}

TEST_CASE("layer norm of numbers whose squares overflow, and its gradients") {
  const bool single = sizeof(Real) == sizeof(float);
  const double limit = single ? 1e19 : 1e154;
  for (const double scale : {limit / 1e10, limit / 10, limit, 4 * limit, single ? 1e36 : 1e300}) {
    INFO(scale);
    const std::size_t columns = 37;
    const Tensor usual = normal({2, 37}, 1), factor = Tensor::full({2, 37}, 1);
    for (std::size_t i = 0; i < columns; ++i) factor.data()[i] = static_cast<Real>(scale);  // of row 0 alone
    const std::vector<Tensor> in = leaves({usual * factor, normal({37}, 2), normal({37}, 3)});
    Numbers y, dx, dweight(columns, 0);
    for (std::size_t row = 0; row < 2; ++row) {
      const Numbers x = numbers(usual.view({37}, to_index(row * columns))), w = numbers(in[1]);
      const Numbers dy = numbers(normal({2, 37}, 4711).view({37}, to_index(row * columns)));
      double mean = 0, variance = 0, g_mean = 0, gx_mean = 0;
      for (const double value : x) mean += value / 37;
      for (const double value : x) variance += (value - mean) * (value - mean) / 37;
      const double deviation = std::sqrt(variance + (row == 0 ? 0 : 1e-5));
      for (std::size_t i = 0; i < columns; ++i) {
        const double normal_x = (x[i] - mean) / deviation;
        g_mean += dy[i] * w[i] / 37;
        gx_mean += dy[i] * w[i] * normal_x / 37;
        dweight[i] += dy[i] * normal_x;
        y.push_back(normal_x * w[i] + numbers(in[2])[i]);
      }
      for (std::size_t i = 0; i < columns; ++i)
        dx.push_back((dy[i] * w[i] - g_mean - (x[i] - mean) / deviation * gx_mean) / deviation);
    }
    const Tensor found = layer_norm(in[0], in[1], in[2]);
    const auto gradient = gradients(found, in);
    CHECK(error(found, y) < 4 * row_rounding);
    CHECK(error(gradient[0] * factor, dx) < 4 * row_rounding);
    CHECK(error(gradient[1], dweight) < 4 * row_rounding);
    const Tensor half = in[0].detach() * Real(0.5);
    CHECK(error(residual_layer_norm(half, half, {}, in[1], in[2]), y) < 4 * row_rounding);
  }
  const Real infinity = std::numeric_limits<Real>::infinity();
  for (const Real bad : {infinity, std::numeric_limits<Real>::quiet_NaN()})
    for (const Real value : layer_norm(Tensor::from({3}, {1, bad, 2}), Tensor::full({3}, 1), {}).values())
      CHECK(std::isnan(value));
}

TEST_CASE("cross-entropy with label smoothing") {
  const std::size_t rows = 6, vocabulary = 7;
  const Tensor logits = normal({6, 7}, 1);
  const auto targets = random_ids(rows, 7, 2);
  for (const double smoothing : {0.0, 0.1}) {
    double expected = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto first = to_index(row);
      const Numbers p = softmax_of(numbers(logits.view({7}, first * 7)));
      for (std::size_t i = 0; i < vocabulary; ++i) {
        const double is_target = targets[row] == static_cast<std::int32_t>(i) ? 1 : 0;
        expected -= ((1 - smoothing) * is_target + smoothing / 7) * std::log(p[i]);
      }
    }
    const CrossEntropyOptions mean{.label_smoothing = static_cast<Real>(smoothing)};
    const CrossEntropyOptions share{.label_smoothing = static_cast<Real>(smoothing), .divide_by = 10};
    CHECK(cross_entropy(logits, targets, mean).item() == Approx(expected / 6).epsilon(row_rounding));
    CHECK(cross_entropy(logits, targets, share).item() == Approx(expected / 10).epsilon(row_rounding));
  }
}
