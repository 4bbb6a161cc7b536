// The numbers that a search needs from a row of logits: the largest ones, and the log-sum-exp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/kernels/softmax.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// The columns of a row, sorted by value, equal ones by column.
std::vector<std::int32_t> sorted_columns(const Tensor& x, Index row) {
  std::vector<std::int32_t> columns(to_size(x.size(1)));
  std::iota(columns.begin(), columns.end(), 0);
  std::stable_sort(columns.begin(), columns.end(), [&](std::int32_t a, std::int32_t b) {
    return x.at({row, a}) > x.at({row, b});
  });
  return columns;
}

/// Numbers with many ties among them.
Tensor coarse(const Shape& shape, std::uint64_t seed) {
  const Tensor x = normal(shape, seed);
  for (Real& value : x.values()) value = std::round(value * 4) / 4;
  return x;
}

}  // namespace

TEST_CASE("the largest logits are those that sorting finds, in the same order") {
  for (const Index columns : {1, 3, 64, 65, 1000})
    for (const Index count : {1, 2, 7, 70}) {
      const Tensor x = coarse({40, columns}, static_cast<std::uint64_t>(columns));
      const LargestLogits largest = largest_logits(x, count);
      REQUIRE(largest.count == std::min(count, columns));
      Index wrong = 0;
      for (Index row = 0; row < x.size(0); ++row) {
        const auto expected = sorted_columns(x, row);
        double sum = 0;
        for (Index i = 0; i < columns; ++i) sum += std::exp(static_cast<double>(x.at({row, i})));
        const Real log_sum_exp = largest.log_sum_exp[to_size(row)];
        CHECK(log_sum_exp == Approx(std::log(sum)).margin(1e-5));
        for (Index i = 0; i < largest.count; ++i) {
          const auto at = to_size(row * largest.count + i);
          wrong += largest.positions[at] != expected[to_size(i)] ||
                   largest.logits[at] != x.at({row, largest.positions[at]});
        }
      }
      CHECK(wrong == 0);
    }
}

TEST_CASE("every version of the kernel finds the same") {
  const Tensor x = coarse({9, 700}, 5);
  const LargestLogits expected = largest_logits(x, 5);
  for (int version = 0; version <= static_cast<int>(processor_simd()); ++version) {
    std::vector<Real> values(45), sums(9);
    std::vector<std::int32_t> positions(45);
    kernels::largest_of_rows.versions[version]({values.data(), positions.data(), sums.data(), 5}, x.data(), 9,
                                               700);
    CHECK(positions == expected.positions);
    CHECK(values == expected.logits);
  }
}

TEST_CASE("logits that are not finite are an error, not a translation") {
  for (const Real bad : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity()})
    for (const Index column : {0, 3, 99}) {
      const Tensor x = normal({4, 100}, 1);
      x.data()[2 * 100 + column] = bad;
      CHECK(MESSAGE_OF(largest_logits(x, 3)) ==
            "largest_logits: a row of logits holds a number that is not finite");
    }
  CHECK(MESSAGE_OF(largest_logits(normal({4, 100}, 1), 0)) ==
        "largest_logits: cannot find the 0 largest of each row of shape [4, 100]; give [rows, columns] and a "
        "count of at least 1");
  CHECK_ERROR(largest_logits(normal({100}, 1), 1), "shape [100]");
}
