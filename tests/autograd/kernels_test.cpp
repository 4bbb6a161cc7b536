// Each kernel is compiled once for each instruction set. Here, kernels that no test in float compares with
// definitions: those of recurrences, scores and sliding windows. Their versions agree to rounding, and
// products over panels are products. For the others, autograd_float_tests runs once for each instruction set
// (tests/CMakeLists.txt).
#include <limits>
#include <string>

#include "autograd/kernels/kernel.h"
#include "autograd/kernels/panels.h"
#include "autograd/kernels/ranges.h"
#include "autograd/kernels/recurrent_cells.h"
#include "autograd/kernels/windows.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

const double version_tolerance = sizeof(Real) == sizeof(double) ? 1e-13 : 5e-6;

/// A result full of NaN, so that an element that stays unwritten is noticed.
Tensor unwritten(const Shape& shape) { return Tensor::full(shape, std::numeric_limits<Real>::quiet_NaN()); }

/// Runs compute(version) for every version this processor can run and compares what it returns.
template <class Compute>
void check_versions(const std::string& name, const Compute& compute) {
  const std::vector<Tensor> baseline = compute(0);
  for (int version = 1; version <= static_cast<int>(processor_simd()); ++version) {
    const std::vector<Tensor> other = compute(version);
    for (std::size_t i = 0; i < baseline.size(); ++i) {
      INFO(name << ", result " << i << ", " << to_string(static_cast<Simd>(version)));
      CHECK(error(other[i], baseline[i]) < version_tolerance);
    }
  }
}

/// A gradient that starts unwritten or, for a slot that adds, with values.
struct Gradient {
  Gradient(const Shape& shape, bool add) : values(add ? normal(shape, 99) : unwritten(shape)), adds(add) {}
  GradSlot slot() const { return {values.data(), adds}; }
  Tensor values;
  bool adds;
};

}  // namespace

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

TEST_CASE("recurrent cells agree across instruction sets") {
  for (const Index width : {1, 7, 16, 33}) {
    const Index sentences = 3;
    const std::vector<Index> rows{4, 0, 2};
    for (const bool lstm : {false, true}) {
      const Index gates = lstm ? 4 : 3, saved = lstm ? kernels::lstm_saved : kernels::gru_saved;
      check_versions(lstm ? "lstm" : "gru", [&](int version) {
        const Tensor x = normal({5, gates * width}, 1), hidden = normal({sentences, gates * width}, 2);
        const Tensor bias = normal({gates * width}, 3), state = normal({sentences, width}, 4);
        const Tensor cell = normal({sentences, width}, 5), kept = Tensor::zeros({5, saved * width});
        const Tensor y = Tensor::zeros({5, width}), dy = normal({5, width}, 6);
        const Tensor dgates = Tensor::zeros({5, gates * width}), dhidden = Tensor::zeros({5, gates * width});
        const kernels::CellStep step{.sentences = sentences,
                                     .width = width,
                                     .rows = rows.data(),
                                     .gates = x.data(),
                                     .hidden = {hidden.data(), gates * width},
                                     .bias = bias.data(),
                                     .state = {state.data(), width},
                                     .cell = {cell.data(), width},
                                     .saved = kept.data(),
                                     .saved_stride = saved * width,
                                     .output = y.data()};
        (lstm ? kernels::lstm_forward : kernels::gru_forward).versions[version](step);
        (lstm ? kernels::lstm_backward : kernels::gru_backward)
            .versions[version](step, {dy.data(), dgates.data(), dhidden.data()});
        return std::vector<Tensor>{y, state, cell, kept, dgates, dhidden};
      });
    }
  }
}

TEST_CASE("kernels over ranges of keys agree across instruction sets") {
  // Two queries with three keys each, one with one key.
  const std::vector<Index> first{0, 1, 3}, offsets{0, 3, 6, 7};
  const kernels::Ranges ranges{first.data(), offsets.data(), 0, 3};
  for (const Index width : {1, 7, 16, 33, 130}) {
    const Tensor query = normal({3, width}, 1), key = normal({5, width}, 2), v = normal({width}, 3);
    const Tensor pairs = normal({7}, 4);
    for (const bool add : {false, true}) {
      check_versions("ranges", [&](int version) {
        const Gradient dots({7}, add), sums({3, width}, add), dscores({7}, add);
        const Tensor spread = normal({5, width}, 5), scores = unwritten({7}), weights = unwritten({7});
        const Tensor dquery = unwritten({3, width}), dkey = Tensor::zeros({5, width}),
                     dv = unwritten({3, width});
        kernels::range_dots.versions[version](dots.slot(), ranges, query.data(), key.data(), width,
                                              Real(0.7));
        kernels::range_sums.versions[version](sums.slot(), ranges, pairs.data(), key.data(), width,
                                              Real(0.7));
        kernels::range_spread.versions[version](spread.data(), ranges, pairs.data(), query.data(), width,
                                                Real(0.7));
        kernels::range_additive_forward.versions[version](scores.data(), ranges, query.data(), key.data(),
                                                          v.data(), width);
        kernels::range_additive_backward.versions[version](dquery.data(), dkey.data(), dv.data(), ranges,
                                                           pairs.data(), query.data(), key.data(), v.data(),
                                                           width);
        kernels::range_softmax_forward.versions[version](weights.data(), ranges, scores.data());
        kernels::range_softmax_backward.versions[version](dscores.slot(), ranges, pairs.data(),
                                                          weights.data());
        return std::vector<Tensor>{dots.values, sums.values, spread, scores,        weights,
                                   dquery,      dkey,        dv,     dscores.values};
      });
    }
  }
}

TEST_CASE("kernels of sliding windows agree across instruction sets") {
  // 5 x 6 pixels under a window of 3 x 3 that moves by 2: 3 x 3 places, some in the padding.
  for (const Index channels : {1, 3, 16, 33}) {
    const kernels::Windows windows{.height = 5,
                                   .width = 6,
                                   .channels = channels,
                                   .size = 3,
                                   .stride = 2,
                                   .padding = 1,
                                   .places_across = 3};
    const Tensor image = normal({30, channels}, 1), dy = normal({9, channels}, 2);
    const Tensor patches = normal({9, 9 * channels}, 3);
    check_versions("windows", [&](int version) {
      const Tensor unfolded = unwritten({7, 9 * channels}), folded = normal({30, channels}, 4);
      const Tensor maxima = unwritten({9, channels}), means = unwritten({9, channels});
      const Tensor dmaxima = normal({30, channels}, 5), dmeans = normal({30, channels}, 6), rest = dy.clone();
      kernels::unfold.versions[version](unfolded.data(), image.data(), windows, 1, 7);
      kernels::fold.versions[version](folded.data(), patches.data(), windows, 1, 7);
      kernels::window_maxima.versions[version](maxima.data(), image.data(), windows, 9);
      kernels::window_maxima_backward.versions[version](dmaxima.data(), rest.data(), maxima.data(),
                                                        image.data(), windows, 9);
      kernels::window_means.versions[version](means.data(), image.data(), windows, 9);
      kernels::window_means_backward.versions[version](dmeans.data(), dy.data(), windows, 9);
      return std::vector<Tensor>{unfolded, folded, maxima, dmaxima, means, dmeans};
    });
  }
}
