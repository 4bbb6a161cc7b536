// Layer normalisation is pinned: the variance divides by the number of columns, and eps is under the root.
#include "autograd/error.h"
#include "nn/layers.h"
#include "tests/catch.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// (x - mean) / sqrt(sum (x - mean)^2 / divisor + eps) * weight + bias of each row
Numbers naive(const Numbers& x, const nn::LayerNorm& norm, double eps = 1e-5, double ddof = 0) {
  const auto columns = to_size(norm.weight.size());
  const auto n = static_cast<double>(columns);
  Numbers y;
  for (std::size_t row = 0; row < x.size() / columns; ++row) {
    const double* const values = x.data() + row * columns;
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < columns; ++i) mean += values[i] / n;
    for (std::size_t i = 0; i < columns; ++i) squares += (values[i] - mean) * (values[i] - mean);
    for (std::size_t i = 0; i < columns; ++i)
      y.push_back((values[i] - mean) / std::sqrt(squares / (n - ddof) + eps) * norm.weight.data()[i] +
                  norm.bias.data()[i]);
  }
  return y;
}

}  // namespace

TEST_CASE("layer norm by hand") {
  // Mean 2.5, deviations ±1.5 and ±0.5, biased variance 5/4 (unbiased it would be 5/3).
  nn::LayerNorm norm(4);
  const double root = std::sqrt(1.25 + 1e-5);
  CHECK(error(norm(Tensor::from({1, 4}, {1, 2, 3, 4})),
              Numbers{-1.5 / root, -0.5 / root, 0.5 / root, 1.5 / root}) < 1e-15);
}

TEST_CASE("layer norm: eps is added to the variance, under the root") {
  // Deviations of 0.001 have variance 1e-6, less than eps: sqrt(1e-6 + 1e-5), and not 0.001 + 1e-5.
  nn::LayerNorm norm(2);
  const double y = 1e-3 / std::sqrt(1.1e-5);
  CHECK(error(norm(Tensor::from({1, 2}, {-1e-3, 1e-3})), Numbers{-y, y}) < 1e-12);
  // A constant row has no deviation to divide, and no NaN comes of it.
  CHECK(numbers(norm(Tensor::full({1, 2}, 7))) == Numbers{0, 0});
}

TEST_CASE("layer norm agrees with a loop, and only with the right one") {
  nn::LayerNorm norm(13);
  randomise(norm, 1);
  const Tensor x = normal({9, 13}, 2) * Real(0.01) + Real(3);
  CHECK(error(norm(x), naive(numbers(x), norm)) < 1e-12);
  CHECK(error(norm(x), naive(numbers(x), norm, 1e-5, 1)) > 1e-3);
  CHECK(error(norm(x), naive(numbers(x), norm, 1e-6)) > 1e-3);
}

TEST_CASE("with a residual: the norm of x plus the dropped sublayer") {
  nn::LayerNorm norm(6);
  randomise(norm, 3);
  const Tensor x = normal({5, 6}, 4), sublayer = normal({5, 6}, 5);
  CHECK(error(norm(x, sublayer, {}), norm(x + sublayer)) < 1e-14);

  const DropoutMask rate{Real(0.5), 1234};
  const Tensor dropped = norm(x, sublayer, rate);
  CHECK(error(dropped, norm(x + dropout(sublayer, rate))) < 1e-14);
  CHECK(error(dropped, norm(x, sublayer, {})) > 0.01);
}
