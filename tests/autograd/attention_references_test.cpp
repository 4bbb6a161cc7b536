// The fast attention and rotary positions against plain loops, values and gradients.
#include <cstdint>
#include <vector>

#include "autograd/reference/attention.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {
const double attention_rounding = sizeof(Real) == sizeof(double) ? 1e-12 : 1e-5;
}

TEST_CASE("attention in each of its forms") {
  // Heads of whole vectors (16 to 96 columns) and others; sentences of one block of queries and of several.
  const Index width = GENERATE(6, 96);
  const Tensor q = normal({160, width}, 1), k = normal({162, width}, 2), v = normal({162, width}, 3);
  const Segments sentences{{0, 3, 0, 5}, {3, 4, 5, 5}, {5, 160, 6, 162}};
  for (const bool causal : {false, true})
    for (const Index heads : {1, 2, 3, 6})
      for (const double p : {0.0, 0.3}) {
        const AttentionOptions options{heads, causal, {static_cast<Real>(p), 99}};
        const reference::AttentionResult expected = reference::attention(q, k, v, sentences, options);
        const std::vector<Tensor> in = leaves({q, k, v});
        const Tensor y = attention(in[0], in[1], in[2], sentences, options);
        CHECK(error(y, expected.out) < attention_rounding);
        if (heads == 3) {
          const auto d = reference::attention_backward(normal(y.shape(), 4711), q, k, v, sentences,
                                                       options);  // the cotangent of gradients()
          const std::vector<Tensor> got = gradients(y, in);
          CHECK(error(got[0], d.query) < 2 * attention_rounding);
          CHECK(error(got[1], d.key) < 2 * attention_rounding);
          CHECK(error(got[2], d.value) < 2 * attention_rounding);
        }
        const std::vector<Tensor> weights = attention_weights(q, k, sentences, options);
        REQUIRE(weights.size() == 3);
        for (std::size_t i = 0; i < 3; ++i)
          CHECK(error(weights[i], expected.weights[i]) < attention_rounding);
      }
}

TEST_CASE("attention with terms of the distance, and with a scale of its own") {
  const Index width = 6, heads = 3;
  const Tensor q = normal({160, width}, 1), k = normal({162, width}, 2), v = normal({162, width}, 3);
  // Queries before the first key, one query (as in decoding) and several blocks of queries.
  const Segments sentences{{0, 3, 0, 2}, {3, 4, 2, 30}, {4, 5, 30, 30}, {5, 160, 30, 162}};
  const std::vector<Real> slopes{Real(0.5), Real(0.1), 0};
  for (const bool causal : {false, true})
    for (const double p : {0.0, 0.3})
      for (const Index radius : {1, 4, 300}) {
        const Tensor relative = normal({160 * heads, 2 * radius + 1}, 4);
        for (const bool alibi : {false, true}) {
          INFO("causal " << causal << ", dropout " << p << ", radius " << radius << ", ALiBi " << alibi);
          AttentionOptions options{.heads = heads,
                                   .causal = causal,
                                   .dropout = {static_cast<Real>(p), 99},
                                   .scale = Real(alibi ? 0.7 : 0),
                                   .slopes = alibi ? slopes : std::vector<Real>{}};
          const std::vector<Tensor> in = leaves({q, k, v, relative});
          options.relative = in[3];
          const reference::AttentionResult expected = reference::attention(q, k, v, sentences, options);
          const Tensor y = attention(in[0], in[1], in[2], sentences, options);
          CHECK(error(y, expected.out) < attention_rounding);
          const std::vector<Tensor> weights = attention_weights(q, k, sentences, options);
          for (std::size_t i = 0; i < sentences.size(); ++i)
            if (weights[i].size() > 0) CHECK(error(weights[i], expected.weights[i]) < attention_rounding);
          const auto d = reference::attention_backward(normal(y.shape(), 4711), q, k, v, sentences, options);
          const std::vector<Tensor> got = gradients(y, in);
          CHECK(error(got[0], d.query) < 4 * attention_rounding);
          CHECK(error(got[1], d.key) < 4 * attention_rounding);
          CHECK(error(got[2], d.value) < 4 * attention_rounding);
          CHECK(error(got[3], d.relative) < 4 * attention_rounding);
        }
      }
}

TEST_CASE("rotary refuses a position that its table does not have") {
  const Tensor x = normal({1, 4}, 1), table = normal({6, 4}, 2);
  const auto at = [&](std::int32_t position) { return rotary(x, 4, table, std::array{position}); };
  CHECK_NOTHROW(at(5));
  for (const std::int32_t position : {-1, 6})
    CHECK_ERROR(at(position), fmt::format("the table has positions 0 to 5, but not {}", position));
}

TEST_CASE("rotary positions, against a product with the matrix of the rotation") {
  // Su et al. 2021, eq. 15: the matrix has cos a, -sin a, sin a, cos a on its diagonal.
  const Index d_k = 4;
  const Tensor x = normal({5, 11}, 1), table = normal({9, d_k}, 2);
  const std::vector<std::int32_t> positions{3, 0, 8, 3, 1};
  const Tensor y = rotary(x, 8, table, positions);
  Numbers expected;
  for (Index row = 0; row < 5; ++row) {
    for (Index head = 0; head < 2; ++head)
      for (Index i = 0; i < d_k; ++i) {
        const Index pair = i / 2 * 2, at = positions[to_size(row)];
        const double sine = table.at({at, pair}), cosine = table.at({at, pair + 1});
        const Tensor rotation = Tensor::from({2, 2}, {static_cast<Real>(cosine), static_cast<Real>(-sine),
                                                      static_cast<Real>(sine), static_cast<Real>(cosine)});
        expected.push_back(rotation.at({i % 2, 0}) * x.at({row, head * d_k + pair}) +
                           rotation.at({i % 2, 1}) * x.at({row, head * d_k + pair + 1}));
      }
    for (Index i = 8; i < 11; ++i) expected.push_back(x.at({row, i}));  // these stay
  }
  CHECK(error(y, expected) < attention_rounding);
}
