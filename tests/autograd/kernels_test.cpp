// Each kernel is compiled once for each instruction set. Here, kernels that no test in float compares with
// definitions: the versions of those of scores agree to rounding, and products over panels are products. For
// the others, autograd_float_tests runs once for each instruction set (tests/CMakeLists.txt).
#include "autograd/kernels/kernel.h"
#include "autograd/kernels/panels.h"
#include "autograd/kernels/ranges.h"
#include "tests/autograd/kernel_versions.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("panel products are products, for every instruction set") {
  for (const Index columns : {1, 31, 32, 33, 100}) {
    for (const Index depth : {1, 17, 256, 300}) {
      for (const Index product_rows : {1, 3, 8, 21}) {
        const Tensor a = normal({product_rows, depth}, 1), b = normal({depth, columns}, 2);
        const Index padded = kernels::in_panels(columns);
        const auto how = product_rows == 3 ? blas::Store::overwrite : blas::Store::add;
        const Tensor before = normal({product_rows, padded}, 3);
        Numbers expected;
        for (Index i = 0; i < product_rows; ++i)
          for (Index j = 0; j < columns; ++j) {
            double sum = how == blas::Store::add ? static_cast<double>(before.at({i, j})) : 0;
            for (Index k = 0; k < depth; ++k)
              sum += static_cast<double>(a.at({i, k})) * static_cast<double>(b.at({k, j}));
            expected.push_back(sum);
          }
        for (int version = 0; version <= static_cast<int>(processor_simd()); ++version) {
          const Tensor panels = unwritten({padded, depth}), c = before.clone();
          kernels::pack_panels.versions[version](panels.data(), depth, {b.data(), columns, 1}, 0, depth,
                                                 columns);
          kernels::panel_product.versions[version](product_rows, padded, depth, {a.data(), depth},
                                                   {panels.data(), depth}, {c.data(), padded}, how);
          CHECK(error(numbers(slice(c, 1, 0, columns)), expected) < 10 * version_tolerance);
        }
      }
    }
  }
}

TEST_CASE("kernels over ranges of keys agree across instruction sets") {
  // Two queries with three keys each, one with one key.
  const std::vector<Index> first{0, 1, 3}, offsets{0, 3, 6, 7};
  const kernels::Ranges ranges{first.data(), offsets.data(), 0, 3};
  for (const Index width : {1, 7, 16, 33, 130}) {
    const Tensor query = normal({3, width}, 1), key = normal({5, width}, 2);
    const Tensor pairs = normal({7}, 4), scores = normal({7}, 3);
    for (const bool add : {false, true}) {
      check_versions("ranges", [&](int version) {
        const Gradient dots({7}, add), sums({3, width}, add), dscores({7}, add);
        const Tensor spread = normal({5, width}, 5), weights = unwritten({7});
        kernels::range_dots.versions[version](dots.slot(), ranges, query.data(), key.data(), width,
                                              Real(0.7));
        kernels::range_sums.versions[version](sums.slot(), ranges, pairs.data(), key.data(), width,
                                              Real(0.7));
        kernels::range_spread.versions[version](spread.data(), ranges, pairs.data(), query.data(), width,
                                                Real(0.7));
        kernels::range_softmax_forward.versions[version](weights.data(), ranges, scores.data());
        kernels::range_softmax_backward.versions[version](dscores.slot(), ranges, pairs.data(),
                                                          weights.data());
        return std::vector<Tensor>{dots.values, sums.values, spread, weights, dscores.values};
      });
    }
  }
}
