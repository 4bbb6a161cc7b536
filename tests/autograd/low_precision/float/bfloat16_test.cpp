// Products in bfloat16 against loops that round in the same way. They run on oneDNN where the processor can,
// and emulated in a second run of this program (tests/CMakeLists.txt).
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "autograd/low_precision/autocast.h"
#include "autograd/low_precision/rounded_weight.h"
#include "autograd/low_precision/rounding.h"
#include "tests/autograd/low_precision/float/low_precision_support.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

float rounded_by_kernel(float x) {
  low_precision::bfloat16 result{};
  kernels::round_to_bfloat16(&result, &x, 1);
  return std::bit_cast<float>(static_cast<std::uint32_t>(result) << 16);
}

/// Sums of k numbers in float32, in any order, are wrong by k 2^-24 at most. This is far less than the
/// rounding to bfloat16, 2^-9.
double of_float_sums(Index k) { return static_cast<double>(std::max<Index>(k, 16)) * 0x1p-24; }

}  // namespace

TEST_CASE("bfloat16: float32 is rounded to the nearest, halfway to even") {
  const float last = std::ldexp(1.0f, -7);  // of the numbers from 1 to 2
  CHECK(rounded_by_kernel(1) == 1);
  CHECK(rounded_by_kernel(1 + last / 2) == 1);
  CHECK(rounded_by_kernel(1 + last / 2 + last / 1024) == 1 + last);
  CHECK(rounded_by_kernel(1 + 3 * last / 2) == 1 + 2 * last);
  CHECK(rounded_by_kernel(-1 - 3 * last / 2) == -1 - 2 * last);
  CHECK(rounded_by_kernel(std::numeric_limits<float>::max()) == infinite);
  CHECK(rounded_by_kernel(-infinite) == -infinite);
  CHECK(std::isnan(rounded_by_kernel(not_a_number)));
  // A NaN whose bits are all in the half that goes.
  CHECK(std::isnan(rounded_by_kernel(std::bit_cast<float>(std::uint32_t{0x7f800001}))));
  CHECK(std::signbit(rounded_by_kernel(-0.0f)));
  const Tensor x = mixed({30, 41}, 3);
  for (int version = 0; version <= static_cast<int>(processor_simd()); ++version) {
    std::vector<low_precision::bfloat16> all(to_size(x.size()));
    kernels::round_to_bfloat16.versions[version](all.data(), x.data(), x.size());
    for (Index i = 0; i < x.size(); ++i)
      CHECK(std::bit_cast<float>(static_cast<std::uint32_t>(all[to_size(i)]) << 16) ==
            bfloat16_of(x.data()[i]));
  }
}

TEST_CASE("bfloat16: a linear layer equals loops over rounded numbers, forward and backward", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  for (const LinearShape& shape : linear_shapes) {
    const Index rows = shape.rows, in = shape.in, out = shape.out;
    INFO(rows << " rows, " << in << " in, " << out << " out");
    const std::vector<Tensor> leaf = leaves({mixed({rows, in}, 1), mixed({out, in}, 2), normal({out}, 3)});
    const Tensor &x = leaf[0], &w = leaf[1], &b = leaf[2];
    const auto of = [](const Tensor& t, Index row, Index column) {
      return bfloat16_of(t.data()[row * t.size(1) + column]);
    };
    const Autocast autocast(Precision::bfloat16);
    const Tensor y = linear(x, w, b);
    Numbers expected = multiply(
        rows, out, in, [&](Index i, Index l) { return of(x, i, l); },
        [&](Index l, Index j) { return of(w, j, l); });
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += b.data()[to_index(i) % out];
    CHECK(error(y, expected) < of_float_sums(in));
    const Tensor dy = normal(y.shape(), 4711);  // the cotangent of gradients()
    const std::vector<Tensor> got = gradients(y, leaf);
    CHECK(error(got[0], multiply(
                            rows, in, out, [&](Index i, Index l) { return of(dy, i, l); },
                            [&](Index l, Index j) { return of(w, l, j); })) < of_float_sums(out));
    CHECK(error(got[1], multiply(
                            out, in, rows, [&](Index i, Index l) { return of(dy, l, i); },
                            [&](Index l, Index j) { return of(x, l, j); })) < of_float_sums(rows));
    CHECK(error(got[2], multiply(
                            1, out, rows, [](Index, Index) { return 1.0; },
                            [&](Index l, Index j) { return double{dy.data()[l * out + j]}; })) <
          of_float_sums(rows));
  }
}

TEST_CASE("bfloat16: an input that two layers read gets the sum of their gradients", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Index rows = 140, in = 300, out = 96;  // more rows and columns than one call of the library computes
  const std::vector<Tensor> leaf =
      leaves({normal({rows, in}, 1), normal({out, in}, 2), normal({out, in}, 3)});
  const Autocast autocast(Precision::bfloat16);
  const Tensor y = linear(leaf[0], leaf[1], {}) + linear(leaf[0], leaf[2], {});
  const Tensor dy = normal(y.shape(), 4711);  // the cotangent of gradients()
  const auto of = [](const Tensor& t, Index row, Index column) {
    return bfloat16_of(t.data()[row * t.size(1) + column]);
  };
  CHECK(error(gradients(y, leaf)[0],
              multiply(
                  rows, in, out, [&](Index i, Index l) { return of(dy, i, l); },
                  [&](Index l, Index j) { return of(leaf[1], l, j) + of(leaf[2], l, j); })) < 1e-6);
}

TEST_CASE("bfloat16: the gradient of a weight is the sum over all its uses", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Index rows = 1000, vocabulary = 90;  // linear_cross_entropy takes them in two blocks of 500
  for (const Index in : {30, 120}) {         // the gradient is cut by its rows, or by its columns
    INFO(in);
    const std::vector<Tensor> leaf = leaves({normal({rows, in}, 1), normal({vocabulary, in}, 2)});
    const Tensor& w = leaf[1];
    const auto targets = random_ids(to_size(rows), vocabulary, 3);
    const auto loss = [&](Index begin, Index end) {
      const std::span part = std::span(targets).subspan(to_size(begin), to_size(end - begin));
      return linear_cross_entropy(slice(leaf[0], 0, begin, end), w, {}, part, {.divide_by = rows});
    };
    const auto product = [&](Index begin, Index end) { return linear(slice(leaf[0], 0, begin, end), w, {}); };
    const Autocast autocast(Precision::bfloat16);
    const Tensor first = gradients(loss(0, 500), leaf)[1], second = gradients(loss(500, rows), leaf)[1];
    const Numbers both = numbers(first + second);
    CHECK(error(gradients(loss(0, rows), leaf)[1], both) < 1e-5);
    CHECK(error(gradients(loss(0, 500) + loss(500, rows), leaf)[1], both) < 1e-5);
    const Tensor once = gradients(product(0, 500), leaf)[1];
    CHECK(error(gradients(product(0, 500) + product(0, 500), leaf)[1], once * 2) < 1e-5);
    for (int micro_batch = 0; micro_batch < 2; ++micro_batch)
      backward(product(0, 500), {.cotangent = normal({500, vocabulary}, 4711)});  // that of gradients()
    CHECK(error(w.grad(), once * 2) < 1e-5);
    w.zero_grad();
  }
}

// |fl(x) - x| <= 2^-9 |x| for bfloat16, so a product of two rounded numbers is off by at most
// (2 * 2^-9 + 2^-18) |x w|. Beside it, the sums of float32 round in their last bits.
TEST_CASE("bfloat16: results and gradients differ from float32 by no more than the rounding", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const std::vector<Tensor> leaf = leaves({normal({50, 70}, 1), normal({40, 70}, 2), normal({40}, 3)});
  const DropoutMask dropout{.probability = 0.3f, .key = 5};
  const std::vector<std::int32_t> targets = random_ids(50, 40, 6);
  const auto magnitudes = [](const Tensor& t) {
    const Tensor result = t.clone();
    for (Real& value : result.values()) value = std::abs(value);
    return result;
  };
  const Tensor exact = linear(leaf[0], leaf[1], {});
  const Tensor bound = linear(magnitudes(leaf[0]), magnitudes(leaf[1]), {});
  const std::vector<Tensor> exact_relu = gradients(linear_relu(leaf[0], leaf[1], leaf[2], dropout), leaf);
  const std::vector<Tensor> exact_loss = gradients(linear_cross_entropy(leaf[0], leaf[1], targets), leaf);
  const Autocast autocast(Precision::bfloat16);
  const Tensor y = linear(leaf[0], leaf[1], {});
  double largest_share = 0;
  for (Index i = 0; i < y.size(); ++i)
    largest_share =
        std::max(largest_share, std::abs(double{y.data()[i]} - exact.data()[i]) / bound.data()[i]);
  CHECK(largest_share < std::ldexp(1.0, -8) + std::ldexp(1.0, -17));
  CHECK(largest_share > std::ldexp(1.0, -13));  // it does round
  // Sums over many entries: the errors of single products are far smaller than the result.
  CHECK(error(gradients(linear_relu(leaf[0], leaf[1], leaf[2], dropout), leaf)[1], exact_relu[1]) < 0.01);
  const std::vector<Tensor> loss = gradients(linear_cross_entropy(leaf[0], leaf[1], targets), leaf);
  CHECK(error(loss[0], exact_loss[0]) < 0.04);
  CHECK(error(loss[1], exact_loss[1]) < 0.04);
}

TEST_CASE("bfloat16: the same bits on any number of threads", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const auto run = [](int count) {
    const Threads threads(count);
    const std::vector<Tensor> leaf =
        leaves({normal({700, 96}, 1), normal({300, 96}, 2), normal({300}, 3), normal({900, 300}, 4)});
    const Autocast autocast(Precision::bfloat16);
    const Tensor hidden = linear_relu(leaf[0], leaf[1], leaf[2], {.probability = 0.1f, .key = 1});
    return gradients(linear_cross_entropy(hidden, leaf[3], random_ids(700, 900, 5)), leaf);
  };
  const std::vector<Tensor> one = run(1);
  for (const int count : {2, 3, 5, 64}) CHECK(same_bits(one, run(count)));
}

TEST_CASE("bfloat16: an error of the library within a parallel loop can be caught", "[bfloat16]") {
  if (!can_run(Precision::bfloat16) || low_precision::emulates_bfloat16()) return;
  const Threads limit(4);
  const Tensor dy = normal({200, 300}, 1), x = normal({200, 300}, 2), result = Tensor::zeros({300, 300});
  const RoundedMatrix rounded_dy(dy.data(), 200, 300), rounded_x(x.data(), 200, 300);
  const auto refused = [&] {  // rows of the result that overlap
    weight_gradient(rounded_dy, rounded_x, 0, {result.data(), 7}, blas::Store::overwrite);
    return 0;
  };
  CHECK_ERROR(refused(), "oneDNN refused a matrix");
}

TEST_CASE("bfloat16: NaN and infinity pass", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Autocast autocast(Precision::bfloat16);
  const Tensor y = linear(Tensor::from({3, 2}, {1, not_a_number, infinite, 1, 1, 1}),
                          Tensor::from({2, 2}, {1, 1, 2, 1}), {});
  CHECK(std::isnan(y.at({0, 0})));
  CHECK(y.at({1, 1}) == infinite);
  CHECK(y.at({2, 1}) == 3);

  const std::vector<Tensor> bias{Tensor::from({3}, {infinite, -infinite, 2}).set_requires_grad()};
  const Tensor dy = normal({1, 3}, 4711);  // as gradients() has it
  const Tensor relu = linear_relu(Tensor::zeros({1, 4}), Tensor::zeros({3, 4}), bias[0], {});
  CHECK(same_bits(gradients(relu, bias).front(), Tensor::from({3}, {dy.at({0, 0}), 0, dy.at({0, 2})})));
}
