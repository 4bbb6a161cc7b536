// The kernels of recurrences and scores: their versions for different instruction sets agree to rounding, and
// products over panels are products.
#include "autograd/kernels/panels.h"
#include "autograd/kernels/ranges.h"
#include "autograd/kernels/recurrent_cells.h"
#include "tests/autograd/versions.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("panel products are products, for every instruction set") {
  for (const Index columns : {1, 31, 32, 33, 100}) {
    for (const Index depth : {1, 17, 256, 300}) {
      for (const Index product_rows : {1, 3, 8, 21}) {
        const Tensor a = normal({product_rows, depth}, 1), b = normal({depth, columns}, 2);
        const Index padded = kernels::in_panels(columns);
        const Tensor before = normal({product_rows, padded}, 3);
        Numbers expected;
        for (Index i = 0; i < product_rows; ++i)
          for (Index j = 0; j < columns; ++j) {
            double sum = static_cast<double>(before.at({i, j}));
            for (Index k = 0; k < depth; ++k)
              sum += static_cast<double>(a.at({i, k})) * static_cast<double>(b.at({k, j}));
            expected.push_back(sum);
          }
        for (int version = 0; version <= static_cast<int>(processor_simd()); ++version) {
          const Tensor panels = unwritten({padded, depth}), c = before.clone();
          kernels::pack_panels.versions[version](panels.data(), b.data(), columns, 1, depth, columns);
          kernels::panel_product.versions[version](product_rows, padded, depth, {a.data(), depth},
                                                   panels.data(), {c.data(), padded}, blas::Store::add);
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
      check_versions(lstm ? "lstm" : "gru", false, [&](int version) {
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
      check_versions("ranges", false, [&](int version) {
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
