// Each kernel is compiled once for each instruction set. The versions agree to rounding, and where no
// arithmetic is involved, in bits. Widths are odd ones, so that vector loops have remainders.
#include "autograd/blas.h"
#include "autograd/kernels/attention.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/layer_norm.h"
#include "autograd/kernels/softmax.h"
#include "autograd/kernels/windows.h"
#include "tests/autograd/versions.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr Index rows = rows_of_kernel_tests;
constexpr DropoutMask some = some_dropout;

}  // namespace

TEST_CASE("kernels on elements and rows agree across instruction sets") {
  for_each_width([](Index columns, bool add) {
    const Shape shape{rows, columns};
    const Tensor x = normal(shape, 1), bias = normal({columns}, 2);
    check_versions("relu", true, [&](int version) {
      const Gradient dx(shape, add);
      const Tensor y = unwritten(shape), dy = normal(shape, 3);
      kernels::relu_forward.versions[version](y.data(), x.data(), x.size());
      kernels::relu_backward.versions[version](dx.slot(), dy.data(), y.data(), x.size());
      return std::vector<Tensor>{y, dx.values};
    });
    const auto activation = [&](const auto& forward, const auto& backward) {
      return [&](int version) {
        const Gradient dx(shape, add);
        const Tensor y = unwritten(shape), dy = normal(shape, 3);
        forward.versions[version](y.data(), x.data(), x.size());
        backward.versions[version](dx.slot(), dy.data(), x.data(), x.size());
        return std::vector<Tensor>{y, dx.values};
      };
    };
    check_versions("tanh", false, activation(kernels::tanh_forward, kernels::tanh_backward));
    check_versions("sigmoid", false, activation(kernels::sigmoid_forward, kernels::sigmoid_backward));
    check_versions("gelu", false, activation(kernels::gelu_forward, kernels::gelu_backward));
    check_versions("accumulate", true, [&](int version) {
      const Gradient to(shape, add);
      kernels::accumulate.versions[version](to.slot(), x.data(), x.size());
      return std::vector<Tensor>{to.values};
    });
    check_versions("accumulate_scaled", !add, [&](int version) {
      const Gradient to(shape, add);
      kernels::accumulate_scaled.versions[version](to.slot(), x.data(), Real(1.7), x.size());
      return std::vector<Tensor>{to.values};
    });
    check_versions("add_bias_relu", false, [&](int version) {
      const Tensor y = x.clone();
      kernels::add_bias_relu.versions[version](y.data(), columns, bias.data(), 3, rows, columns, some);
      return std::vector<Tensor>{y};
    });
    check_versions("relu_dropout_backward", true, [&](int version) {
      const Tensor dy = normal(shape, 3);
      kernels::relu_dropout_backward.versions[version](dy.data(), x.data(), Real(1.25), x.size());
      return std::vector<Tensor>{dy};
    });
    check_versions("column_sums", false, [&](int version) {
      const Gradient sums({columns}, add);
      kernels::column_sums.versions[version](sums.slot(), x.data(), rows, columns);
      return std::vector<Tensor>{sums.values};
    });
    check_versions("dropout_forward", !add, [&](int version) {
      const Gradient y(shape, add);
      kernels::dropout_forward.versions[version](y.slot(), x.data(), rows, columns, some);
      return std::vector<Tensor>{y.values};
    });
    const std::vector<std::int32_t> ids{4, 0, 4, 2, 1};
    check_versions("gather_rows_forward", true, [&](int version) {
      const Tensor y = unwritten(shape);
      kernels::gather_rows_forward.versions[version](y.data(), x.data(), ids.data(), rows, columns,
                                                     Real(1.3));
      return std::vector<Tensor>{y};
    });
    check_versions("gather_rows_backward", false, [&](int version) {
      const Tensor dx = normal(shape, 4);
      kernels::gather_rows_backward.versions[version](dx.data(), x.data(), ids.data(), rows, columns,
                                                      Real(1.3));
      return std::vector<Tensor>{dx};
    });
  });
}

TEST_CASE("softmax kernels agree across instruction sets") {
  for_each_width([](Index columns, bool add) {
    const Shape shape{rows, columns};
    const Tensor x = normal(shape, 1) * Real(3), dy = normal(shape, 2);
    check_versions("softmax", false, [&](int version) {
      const Tensor y = unwritten(shape), logs = unwritten(shape);
      const Gradient dx(shape, add), dx_of_logs(shape, add);
      kernels::softmax_forward.versions[version](y.data(), x.data(), rows, columns);
      kernels::softmax_backward.versions[version](dx.slot(), dy.data(), y.data(), rows, columns);
      kernels::log_softmax_forward.versions[version](logs.data(), x.data(), rows, columns);
      kernels::log_softmax_backward.versions[version](dx_of_logs.slot(), dy.data(), logs.data(), rows,
                                                      columns);
      // The gradients of one column are 0 but for rounding.
      return columns == 1 ? std::vector<Tensor>{y, logs}
                          : std::vector<Tensor>{y, logs, dx.values, dx_of_logs.values};
    });
    const auto targets = random_ids(rows, columns, 3);
    check_versions("cross_entropy_rows", false, [&](int version) {
      const Tensor losses = unwritten({rows}), logits = x.clone();
      kernels::cross_entropy_rows.versions[version](losses.data(), logits.data(), rows, columns,
                                                    {targets.data(), Real(0.1), Real(0.2), add});
      return columns == 1 ? std::vector<Tensor>{} : std::vector<Tensor>{losses, logits};
    });
  });
}

TEST_CASE("layer norm kernels agree across instruction sets") {
  for_each_width([](Index columns, bool add) {
    const Shape shape{rows, columns};
    const Tensor x = normal(shape, 1), sublayer = normal(shape, 2), dy = normal(shape, 3);
    const Tensor weight = normal({columns}, 4), bias = normal({columns}, 5);
    for (const DropoutMask& dropout : {DropoutMask{}, some})
      check_versions("layer_norm", false, [&](int version) {
        const Tensor y = unwritten(shape), sum = unwritten(shape), statistics = unwritten({2, rows});
        kernels::layer_norm_forward.versions[version](y.data(), sum.data(), statistics.data(), x.data(),
                                                      sublayer.data(), weight.data(), bias.data(), rows,
                                                      columns, layer_norm_epsilon, dropout);
        const Gradient dx(shape, add), dsublayer(shape, add), dweight({columns}, add), dbias({columns}, add);
        kernels::layer_norm_backward.versions[version](dx.slot(), dsublayer.slot(), dy.data(), sum.data(),
                                                       statistics.data(), weight.data(), rows, columns,
                                                       dropout);
        kernels::layer_norm_parameters_backward.versions[version](
            dweight.slot(), dbias.slot(), dy.data(), sum.data(), statistics.data(), rows, columns);
        if (columns <= 2)
          return std::vector<Tensor>{sum, dbias.values};  // y is ±weight + bias, ill-conditioned
        return std::vector<Tensor>{y,           sum, statistics, dx.values, dsublayer.values, dweight.values,
                                   dbias.values};
      });
  });
}

TEST_CASE("attention kernels agree across instruction sets") {
  blas::load();
  const Index tokens = 150, heads = 2;
  const Segments sentences = self_segments({3, 130, 17});
  for (const Index d_k : {1, 7, 16})
    for (const bool causal : {false, true}) {
      const Index width = heads * d_k;
      const Tensor q = normal({tokens, width}, 1), k = normal({tokens, width}, 2),
                   v = normal({tokens, width}, 3);
      const Tensor dout = normal({tokens, width}, 4);
      check_versions("attention", false, [&](int version) {
        const Index stride = kernels::attention_scratch(sentences[1], d_k);  // the longest
        const Tensor scratch = unwritten({threads(), stride});
        const Tensor out = unwritten({tokens, width}), sums = unwritten({2, heads, tokens});
        const kernels::AttentionArguments problem{{q.data(), width},
                                                  {k.data(), width},
                                                  {v.data(), width},
                                                  sentences.data(),
                                                  3,
                                                  heads,
                                                  d_k,
                                                  tokens,
                                                  causal,
                                                  some,
                                                  sums.data(),
                                                  8,
                                                  scratch.data(),
                                                  stride};
        kernels::attention_forward.versions[version](out.data(), nullptr, problem);
        const Gradient dq({tokens, width}, false), dk({tokens, width}, true), dv({tokens, width}, false);
        kernels::attention_backward.versions[version](dq.slot(), dk.slot(), dv.slot(), dout.data(), problem);
        return std::vector<Tensor>{out, sums, dq.values, dk.values, dv.values};
      });
    }
}

TEST_CASE("the version in use is the processor's best, or what REGARD_SIMD asks for") {
  CHECK(static_cast<int>(simd()) <= static_cast<int>(processor_simd()));
  CHECK(std::string(to_string(Simd::baseline)) == "baseline");
  CHECK(std::string(to_string(Simd::avx2)) == "avx2");
  CHECK(std::string(to_string(Simd::avx512)) == "avx512");
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
    check_versions("windows", false, [&](int version) {
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
