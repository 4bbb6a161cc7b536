// Products in int8 against loops that round in the same way.
#include <cmath>
#include <limits>
#include <memory>

#include "autograd/low_precision/autocast.h"
#include "autograd/low_precision/quantised_weight.h"
#include "autograd/low_precision/rounded_weight.h"
#include "tests/autograd/low_precision/float/low_precision_support.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// What 8 bits leave of a row: scale and whole numbers.
Numbers quantised(const Tensor& x, int limit) {
  Numbers result;
  for (Index row = 0; row < x.size(0); ++row) {
    const std::span<const float> values(x.data() + row * x.size(1), to_size(x.size(1)));
    float largest = 0;
    for (const float value : values) largest = std::max(largest, std::abs(value));
    const float scale = largest / static_cast<float>(limit);
    const float factor = largest == 0 ? 0 : static_cast<float>(limit) / largest;
    for (const float value : values) result.push_back(double{scale} * std::nearbyint(value * factor));
  }
  return result;
}

Tensor int8_weight(const Tensor& w) {
  return MatrixForm::tensor(std::make_shared<QuantisedWeight>(
      quantise(w), QuantisedWeight::Uses{.product = true, .look_up = true}));
}

int activation_limit() { return low_precision::largest_byte() / 2; }

}  // namespace

TEST_CASE("int8: a linear layer equals a loop over quantised numbers") {
  if (!can_run(Precision::int8)) return;
  for (const LinearShape& shape : linear_shapes) {
    const Index rows = shape.rows, in = shape.in, out = shape.out;
    INFO(rows << " rows, " << in << " in, " << out << " out");
    const Tensor x = mixed({rows, in}, 1), w = mixed({out, in}, 2), b = normal({out}, 3);
    const Numbers qx = quantised(x, activation_limit()), qw = quantised(w, 127);
    Numbers expected = multiply(
        rows, out, in, [&](Index i, Index l) { return qx[to_size(i * in + l)]; },
        [&](Index l, Index j) { return qw[to_size(j * in + l)]; });
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += b.data()[to_index(i) % out];
    const Tensor weight = int8_weight(w);
    CHECK(error(linear(x, weight, b), expected) < 1e-6);
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::max(expected[i], 0.0);
    CHECK(error(linear_relu(x, weight, b), expected) < 1e-6);
  }
}

TEST_CASE("int8: the same bits on any number of threads") {
  if (!can_run(Precision::int8)) return;
  const Tensor x = mixed({300, 200}, 1), weight = int8_weight(mixed({700, 200}, 2));
  std::vector<Tensor> results;
  for (const int count : {1, 2, 3, 5, 64}) {
    const Threads limit(count);
    results.push_back(linear(x, weight, {}));
    results.push_back(linear(slice(x, 0, 0, 2), weight, {}));
    for (std::size_t i = 0; i < 2; ++i) CHECK(same_bits(results[results.size() - 2 + i], results[i]));
  }
}

TEST_CASE("int8: sums of the largest numbers are exact") {
  if (!can_run(Precision::int8)) return;
  const Tensor x = Tensor::full({3, 2048}, 1), w = Tensor::full({70, 2048}, -1);
  const Tensor y = linear(x, int8_weight(w), {});
  for (const Real value : y.values()) CHECK(value == Approx(-2048).epsilon(1e-6));
}

TEST_CASE("int8: a row with NaN or infinity becomes NaN, and no other row; a row of zeros stays zero") {
  if (!can_run(Precision::int8)) return;
  const Tensor x = Tensor::from({4, 2}, {1, std::numeric_limits<float>::quiet_NaN(),
                                         std::numeric_limits<float>::infinity(), 1, 0, 0, 1, 1});
  const Tensor y = linear(x, int8_weight(Tensor::from({2, 2}, {1, 0, 0, 2})), {});
  CHECK(std::isnan(y.at({0, 0})));
  CHECK(std::isnan(y.at({1, 1})));
  CHECK(y.at({2, 1}) == 0);
  CHECK(y.at({3, 1}) == Approx(2));
  // Numbers below 1e-36 count as zeros: 127 divided by them is beyond float32.
  const Tensor tiny = Tensor::from({3, 2}, {1e-37f, -1e-38f, 1e-45f, 0, 2e-36f, 4e-36f});
  const Numbers kept{0, 0, 0, 0, 2e-36, 4e-36};
  CHECK(error(linear(tiny, int8_weight(Tensor::from({2, 2}, {1, 0, 0, 1})), {}), kept) < 0.01);
  CHECK(error(linear(Tensor::from({1, 2}, {1, 1}), int8_weight(tiny), {}), Numbers{0, 0, 6e-36}) < 0.01);
  const QuantisedRows rows = quantise(tiny);
  CHECK((rows.scale()[0] == 0 && rows.scale()[1] == 0 && rows.scale()[2] > 0));
  CHECK_ERROR(quantise(x), "row 0 of a weight has a number that is not finite");
}

TEST_CASE("int8: look-ups, rows of a weight, and what else is refused") {
  if (!can_run(Precision::int8)) return;
  const Tensor x = normal({5, 64}, 1), w = normal({192, 64}, 2), b = normal({64}, 3);
  const Tensor weight = int8_weight(w);
  const std::vector<std::int32_t> ids{0, 191, 7};
  const Numbers q = quantised(w, 127);
  Numbers expected;
  for (const std::int32_t id : ids)
    for (Index i = 0; i < 64; ++i) expected.push_back(3 * q[to_size(id * 64 + i)]);
  CHECK(error(embedding(weight, ids, 3), expected) < 1e-6);
  const Tensor whole = linear(x, weight, {});
  const Tensor part = linear(x, slice(weight, 0, 64, 128), {});
  CHECK(same_bits(part, slice(whole, 1, 64, 128)));
  CHECK(error(embedding(slice(weight, 0, 128, 192), std::vector<std::int32_t>{63}, 3),
              Numbers(expected.begin() + 64, expected.begin() + 128)) < 1e-6);
  // A slice of a slice: the second block of the second block.
  const Tensor last = slice(slice(weight, 0, 64, 192), 0, 64, 128);
  CHECK(same_bits(linear(x, last, {}), slice(whole, 1, 128, 192)));
  CHECK(error(embedding(last, std::vector<std::int32_t>{63}, 3),
              Numbers(expected.begin() + 64, expected.begin() + 128)) < 1e-6);
  CHECK_ERROR(slice(weight, 0, 3, 64),
              "rows 3 to 64 of a int8 weight of shape [192, 64] are not whole blocks");
  CHECK_ERROR(weight.clone(), "the weight of shape [192, 64] has its numbers only in few bits");
  CHECK_ERROR(linear(leaves({x})[0], weight, {}), "without gradients; load the model in float32");
  CHECK_ERROR(Autocast(Precision::int8), "int8 has no gradients");
}

TEST_CASE("a slice of a weight in few bits has the blocks of the whole, whatever its own shape",
          "[bfloat16]") {
  for (const Precision precision : {Precision::int8, Precision::bfloat16}) {
    if (!can_run(precision)) continue;
    INFO(to_string(precision));
    // Blocks of 256, 256 and 44 rows. A weight of the slice's shape would have blocks of 150 rows.
    const Tensor x = normal({5, 300}, 1), w = normal({556, 300}, 2);
    const Tensor weight = precision == Precision::int8 ? int8_weight(w)
                                                       : MatrixForm::tensor(std::make_shared<RoundedWeight>(
                                                             w, RoundedWeight::Use::products_and_look_up));
    const Tensor part = slice(weight, 0, 256, 556), last = slice(part, 0, 256, 300);
    const Tensor whole = linear(x, weight, {});
    CHECK(same_bits(linear(x, part, {}), slice(whole, 1, 256, 556)));
    CHECK(same_bits(linear(x, last, {}), slice(whole, 1, 512, 556)));
    const auto row = [](const Tensor& of, std::int32_t id) { return embedding(of, std::vector{id}, 3); };
    CHECK(same_bits(row(last, 43), row(weight, 555)));
    const std::vector<std::int32_t> ids{43, 0};
    CHECK(error(linear(x, gather(last, 0, ids), {}),
                linear(x, gather(weight, 0, std::vector{555, 512}), {})) < 1e-5);
    CHECK_ERROR(slice(part, 0, 150, 300), "weight of shape [300, 300] are not whole blocks of 256 rows");
  }
}
