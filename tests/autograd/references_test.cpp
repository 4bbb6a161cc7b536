// The value of every operation against its definition, written as plain loops in double.
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

const double rounding = sizeof(Real) == sizeof(double) ? 1e-12 : 1e-5;

/// Where element (i, j, k) of a [2, 4, 3] result finds its operands in shapes [2, 1, 3] and [4, 1].
Numbers broadcast_reference(const Tensor& a, const Tensor& b, double (*function)(double, double)) {
  Numbers y;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 3; ++k) y.push_back(function(numbers(a)[i * 3 + k], numbers(b)[j]));
  return y;
}

Numbers each(const Tensor& x, const std::function<double(double)>& function) {
  Numbers y = numbers(x);
  for (double& value : y) value = function(value);
  return y;
}

/// [m, k] x [k, n]
Numbers naive_matmul(const Numbers& a, const Numbers& b, std::size_t m, std::size_t k, std::size_t n) {
  Numbers c(m * n, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

/// [rows, columns] to [columns, rows]
Numbers naive_transpose(const Numbers& x, std::size_t rows, std::size_t columns) {
  Numbers y(x.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) y[j * rows + i] = x[i * columns + j];
  return y;
}

}  // namespace

TEST_CASE("arithmetic with broadcasting") {
  const Tensor a = positive({2, 1, 3}, 1), b = positive({4, 1}, 2);
  CHECK((a + b).shape() == Shape{2, 4, 3});
  CHECK(error(a + b, broadcast_reference(a, b, [](double x, double y) { return x + y; })) < rounding);
  CHECK(error(a - b, broadcast_reference(a, b, [](double x, double y) { return x - y; })) < rounding);
  CHECK(error(a * b, broadcast_reference(a, b, [](double x, double y) { return x * y; })) < rounding);
  CHECK(error(a / b, broadcast_reference(a, b, [](double x, double y) { return x / y; })) < rounding);
  CHECK(error(a + Real(2), each(a, [](double x) { return x + 2; })) < rounding);
  CHECK(error(a - Real(2), each(a, [](double x) { return x - 2; })) < rounding);
  CHECK(error(a / Real(2), each(a, [](double x) { return x / 2; })) < rounding);
  CHECK(error(Real(2) * a, each(a, [](double x) { return 2 * x; })) < rounding);
  CHECK(error(-a, each(a, [](double x) { return -x; })) < rounding);
}

TEST_CASE("functions of one element") {
  const Tensor x = normal({3, 50}, 1), p = positive({3, 50}, 2);
  CHECK(error(exp(x), each(x, [](double v) { return std::exp(v); })) < rounding);
  CHECK(error(log(p), each(p, [](double v) { return std::log(v); })) < rounding);
  CHECK(error(tanh(x), each(x, [](double v) { return std::tanh(v); })) < rounding);
  CHECK(error(sigmoid(x), each(x, [](double v) { return 1 / (1 + std::exp(-v)); })) < rounding);
  CHECK(error(relu(x), each(x, [](double v) { return v > 0 ? v : 0; })) < rounding);
  const auto phi = [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); };
  CHECK(error(gelu(x), each(x, [=](double v) { return v * phi(v); })) < rounding);
  CHECK(error(silu(x), each(x, [](double v) { return v / (1 + std::exp(-v)); })) < rounding);
  CHECK(error(sqrt(p), each(p, [](double v) { return std::sqrt(v); })) < rounding);
  CHECK(error(pow(p, Real(2.5)), each(p, [](double v) { return v * v * std::sqrt(v); })) < rounding);
  CHECK(error(pow(x, 3), each(x, [](double v) { return v * v * v; })) < rounding);
  CHECK(error(pow(x, 0), each(x, [](double) { return 1.0; })) < rounding);
}

TEST_CASE("far from zero the functions of one element take their limits") {
  const Tensor x = Tensor::from({4}, {-1000, -30, 30, 1000});
  CHECK(error(tanh(x), Numbers{-1, -1, 1, 1}) < rounding);
  CHECK(error(sigmoid(x), Numbers{0, 0, 1, 1}) < 1e-12 + rounding);
  CHECK(error(gelu(x), Numbers{0, 0, 30, 1000}) < rounding);
  CHECK(error(silu(x), Numbers{0, 0, 30, 1000}) < 1e-11 + rounding);
}

TEST_CASE("NaN stays NaN") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const auto is_nan = [](const Tensor& x) {
    std::vector<bool> result;
    for (const Real value : x.values()) result.push_back(std::isnan(value));
    return result;
  };
  const Tensor x = Tensor::from({2, 3}, {nan, -1, 2, 3, nan, 5});
  CHECK(is_nan(relu(x)) == std::vector<bool>{true, false, false, false, true, false});
  CHECK(is_nan(max(x, {{1}})) == std::vector<bool>{true, true});
  CHECK(is_nan(max(x, {{0}})) == std::vector<bool>{true, true, false});
  const Tensor weight = Tensor::full({4, 3}, 1);
  const Tensor bias = Tensor::from({4}, {0, nan, 0, -100});
  const Tensor y = linear_relu(Tensor::full({1, 3}, 1), weight, bias, {});
  CHECK(is_nan(y) == std::vector<bool>{false, true, false, false});
  CHECK(y.at({0, 3}) == 0);
}

TEST_CASE("the gradient at NaN: a maximum gives it to the NaN, a ReLU passes it on") {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const std::vector<Tensor> x = leaves({Tensor::from({2, 3}, {nan, -1, 2, 3, nan, nan})});
  const Tensor dy = normal({2, 3}, 4711), of_rows = normal({2}, 4711);  // as gradients() has them
  CHECK(same_bits(gradients(relu(x[0]), x)[0], dy * Tensor::from({2, 3}, {1, 0, 1, 1, 1, 1})));
  const Tensor expected = Tensor::zeros({2, 3});
  expected.data()[0] = of_rows.data()[0];
  expected.data()[4] = expected.data()[5] = of_rows.data()[1] / 2;
  CHECK(same_bits(gradients(max(x[0], {{1}}), x)[0], expected));

  const std::vector<Tensor> bias = leaves({Tensor::from({3}, {nan, -1, 2})});
  const Tensor y = linear_relu(Tensor::zeros({1, 4}), Tensor::zeros({3, 4}), bias[0]);
  const Tensor one_row = reshape(normal({1, 3}, 4711), {3});
  CHECK(same_bits(gradients(y, bias)[0], one_row * Tensor::from({3}, {1, 0, 1})));
}

TEST_CASE("the gradient of a ReLU is 1 at infinity and 0 at minus infinity") {
  const Real infinity = std::numeric_limits<Real>::infinity();
  const std::vector<Tensor> at{Tensor::from({1, 3}, {infinity, -infinity, 2}).set_requires_grad()};
  const Tensor dy = normal({1, 3}, 4711);  // as gradients() has it
  const Tensor expected = dy * Tensor::from({1, 3}, {1, 0, 1});
  CHECK(same_bits(gradients(relu(at[0]), at).front(), expected));
  const std::vector<Tensor> bias{Tensor::from({3}, {infinity, -infinity, 2}).set_requires_grad()};
  const Tensor x = Tensor::zeros({1, 4}), weight = Tensor::zeros({3, 4});
  CHECK(same_bits(gradients(linear_relu(x, weight, bias[0], {}), bias).front(), reshape(expected, {3})));
  // Under dropout an element is infinite if it is kept, and then its gradient is scaled.
  for (std::uint64_t key = 0; key < 8; ++key) {
    const Tensor y = linear_relu(x, weight, bias[0], {Real(0.5), key});
    const Tensor gradient = gradients(y, bias).front();
    CHECK(gradient.data()[0] == (y.data()[0] == infinity ? 2 * dy.data()[0] : 0));
    CHECK(gradient.data()[1] == 0);
  }
}

TEST_CASE("where there is no derivative, the gradient is PyTorch's") {
  const auto slope = [](const std::vector<Real>& values, auto&& function) {
    const auto size = to_index(values.size());
    const Tensor x = Tensor::from({size}, values).set_requires_grad();
    sum(function(x)).backward();
    return x.grad();
  };
  CHECK(error(slope({-1, 0, 2}, relu), Numbers{0, 0, 1}) == 0);
  CHECK(error(slope({5, 1, 5, 5, 2}, [](const Tensor& x) { return max(x) * Real(6); }),
              Numbers{2, 0, 2, 2, 0}) < rounding);
  CHECK(error(slope({0, 2}, [](const Tensor& x) { return pow(x, 0); }), Numbers{0, 0}) == 0);
  CHECK(error(slope({0, 2}, [](const Tensor& x) { return pow(x, 1); }), Numbers{1, 1}) == 0);
}

TEST_CASE("reductions over any axes") {
  const Tensor x = normal({2, 3, 4}, 1);
  const Numbers v = numbers(x);
  const auto reduce = [&](bool first, bool second, bool third, double start, auto&& combine) {
    Numbers y;
    const std::size_t extents[] = {first ? 1u : 2u, second ? 1u : 3u, third ? 1u : 4u};
    y.assign(extents[0] * extents[1] * extents[2], start);
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        for (std::size_t k = 0; k < 4; ++k) {
          double& result =
              y[((first ? 0 : i) * extents[1] + (second ? 0 : j)) * extents[2] + (third ? 0 : k)];
          result = combine(result, v[(i * 3 + j) * 4 + k]);
        }
    return y;
  };
  const auto plus = [](double a, double b) { return a + b; };
  const auto larger = [](double a, double b) { return b > a ? b : a; };
  CHECK(error(sum(x), reduce(true, true, true, 0, plus)) < rounding);
  CHECK(error(sum(x, {{1}}), reduce(false, true, false, 0, plus)) < rounding);
  CHECK(error(sum(x, {{0, -1}}), reduce(true, false, true, 0, plus)) < rounding);
  CHECK(error(mean(x, {{0}}) * Real(2), reduce(true, false, false, 0, plus)) < rounding);
  CHECK(error(mean(x) * Real(24), reduce(true, true, true, 0, plus)) < rounding);
  CHECK(error(max(x, {{2}}), reduce(false, false, true, -1e9, larger)) < rounding);
  CHECK(error(max(x, {{0, 1}}), reduce(true, true, false, -1e9, larger)) < rounding);
  CHECK(sum(x).shape() == Shape{});
  CHECK(sum(x, {{0, 2}}).shape() == Shape{3});
  CHECK(mean(x, {{0, 2}, true}).shape() == Shape{1, 3, 1});
  CHECK(max(x, {{}, true}).shape() == Shape{1, 1, 1});
}

TEST_CASE("reshape, transpose, slice, concat and gather move the elements where they belong") {
  const Tensor x = normal({2, 3, 4}, 1);
  const Tensor flat = reshape(x, {4, 6}), t = transpose(x, 0, 2), s = slice(x, 1, 1, 3);
  const Tensor c = concat({x, s}, 1), g = gather(x, -1, std::vector<std::int32_t>{3, 0, 3});
  CHECK(flat.shape() == Shape{4, 6});
  CHECK(t.shape() == Shape{4, 3, 2});
  CHECK(s.shape() == Shape{2, 2, 4});
  CHECK(c.shape() == Shape{2, 5, 4});
  CHECK(g.shape() == Shape{2, 3, 3});
  CHECK(flat.data() == x.data());
  CHECK(slice(x, 0, 1, 2).data() == x.data() + 12);
  const Tensor row = normal({1, 4}, 2);
  CHECK(slice(row, 1, 0, 2).data() != row.data());  // which memory is shared is a matter of the axis alone
  int wrong = 0;
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < 4; ++k) {
        const Real value = x.at({i, j, k});
        const Index position = (i * 3 + j) * 4 + k;
        wrong += flat.at({position / 6, position % 6}) != value;
        wrong += t.at({k, j, i}) != value;
        wrong += j >= 1 && s.at({i, j - 1, k}) != value;
        wrong += c.at({i, j, k}) != value;
        wrong += j >= 1 && c.at({i, 3 + j - 1, k}) != value;
        if (k == 3) wrong += g.at({i, j, 0}) != value || g.at({i, j, 2}) != value;
        if (k == 0) wrong += g.at({i, j, 1}) != value;
      }
  CHECK(wrong == 0);
}

TEST_CASE("products of matrices, alone and in batches") {
  const Tensor a = normal({2, 3, 4}, 1), b = normal({2, 4, 5}, 2), weight = normal({5, 4}, 3),
               bias = normal({5}, 4);
  Numbers batches, one;
  for (Index i = 0; i < 2; ++i) {
    const Numbers part =
        naive_matmul(numbers(a.view({3, 4}, i * 12)), numbers(b.view({4, 5}, i * 20)), 3, 4, 5);
    batches.insert(batches.end(), part.begin(), part.end());
  }
  CHECK(matmul(a, b).shape() == Shape{2, 3, 5});
  CHECK(error(matmul(a, b), batches) < rounding);
  const Numbers b_0 = numbers(b.view({4, 5}));
  CHECK(error(matmul(a, b.view({4, 5})), naive_matmul(numbers(a), b_0, 6, 4, 5)) < rounding);

  const Tensor rows = a.view({6, 4});
  Numbers y = naive_matmul(numbers(rows), naive_transpose(numbers(weight), 5, 4), 6, 4, 5);
  CHECK(error(linear(rows, weight, {}), y) < rounding);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += numbers(bias)[i % 5];
  CHECK(error(linear(rows, weight, bias), y) < rounding);
  Numbers positive = y, gated = y;
  for (double& value : positive) value = value > 0 ? value : 0;
  CHECK(error(linear_relu(rows, weight, bias), positive) < rounding);
  for (double& value : gated) value /= 1 + std::exp(-value);
  CHECK(error(linear_silu(rows, weight, bias), gated) < rounding);
}
