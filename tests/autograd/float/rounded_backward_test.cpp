// What the backwards of attention and of layer norm keep in bfloat16.
#include <cmath>
#include <cstddef>

#include "autograd/memory.h"
#include "autograd/precision.h"
#include "autograd/reference/attention.h"
#include "tests/autograd/float/low_precision_support.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Bytes that a graph keeps for its backward: those in use, without its inputs and its result.
template <class Function>
std::size_t kept(const std::vector<Tensor>& values, const Function& function) {
  const std::vector<Tensor> in = leaves(values);
  const std::size_t before = memory_statistics().in_use;
  const Tensor y = function(in);
  return memory_statistics().in_use - before - to_size(y.size()) * sizeof(Real);
}

}  // namespace

TEST_CASE("bfloat16: attention equals loops over rounded queries, keys and values", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Index heads = 3, width = 48;
  const Tensor q = normal({160, width}, 1), k = normal({162, width}, 2), v = normal({162, width}, 3);
  const Tensor rounded_q = bfloat16_of(q), rounded_k = bfloat16_of(k), rounded_v = bfloat16_of(v);
  // One query, no query, several blocks of queries; rows outside of all sentences.
  const Segments sentences{{0, 3, 0, 5}, {3, 4, 5, 6}, {4, 4, 6, 8}, {5, 160, 9, 162}};
  for (const bool causal : {false, true})
    for (const float p : {0.0f, 0.3f}) {
      const AttentionOptions options{heads, causal, {p, 99}};
      const std::vector<Tensor> in = leaves({q, k, v});
      const auto expected = reference::attention(rounded_q, rounded_k, rounded_v, sentences, options);
      const auto d = reference::attention_backward(normal({160, width}, 4711), rounded_q, rounded_k,
                                                   rounded_v, sentences, options);
      const Autocast autocast(Precision::bfloat16);
      const Tensor y = attention(in[0], in[1], in[2], sentences, options);
      CHECK(error(y, expected.out) < 2e-6);
      const std::vector<Tensor> got = gradients(y, in);
      CHECK(error(got[0], d.query) < 4e-6);
      CHECK(error(got[1], d.key) < 4e-6);
      CHECK(error(got[2], d.value) < 4e-6);
      // It does round.
      CHECK(error(y, reference::attention(q, k, v, sentences, options).out) > 1e-4);
    }
}

TEST_CASE("bfloat16: attention in columns of one matrix, as with a matrix for each", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Tensor q = normal({40, 32}, 1), k = normal({40, 32}, 2), v = normal({40, 32}, 3);
  const Segments sentences = self_segments({10, 1, 29});
  const AttentionOptions options{.heads = 4, .causal = true, .dropout = {0.2f, 7}};
  const Autocast autocast(Precision::bfloat16);
  const std::vector<Tensor> apart = leaves({q, k, v}), one = leaves({concat({q, k, v}, 1)});
  const Tensor expected = attention(apart[0], apart[1], apart[2], sentences, options);
  const Tensor got = attention({one[0], 0, 32}, {one[0], 32, 32}, {one[0], 64, 32}, sentences, options);
  CHECK(same_bits(got, expected));
  CHECK(same_bits(gradients(got, one)[0], concat(gradients(expected, apart), 1)));
}

// y is what float32 gives. The backward reads the sum s rounded, |fl(s) - s| <= 2^-9 |s|, which moves xhat by
// at most 2^-9 |s| / deviation. In dsum = (g - mean(g) - xhat mean(g xhat)) / deviation the two terms with
// xhat move by at most 2^-9 max |s| / deviation (|xhat| mean |g| + mean |g xhat|) / deviation, and a bit more
// for both together.
TEST_CASE("bfloat16: layer norm differs in its gradients by no more than the rounding", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const Index rows = 30, columns = 200;
  const DropoutMask dropout{0.3f, 5};
  const std::vector<Tensor> values{normal({rows, columns}, 1), normal({rows, columns}, 2),
                                   normal({columns}, 3), normal({columns}, 4)};
  const auto norm = [=](const std::vector<Tensor>& in) {
    return residual_layer_norm(in[0], in[1], dropout, in[2], in[3]);
  };
  const std::vector<Tensor> in = leaves(values);
  const Tensor exact = norm(in);
  const std::vector<Tensor> expected = gradients(exact, in);
  const Tensor sums = residual_dropout(values[0], values[1], dropout);
  const Tensor cotangent = normal({rows, columns}, 4711);
  const Autocast autocast(Precision::bfloat16);
  const Tensor y = norm(in);
  CHECK(same_bits(y, exact));
  const std::vector<Tensor> got = gradients(y, in);
  bool within = true, rounds = false;
  for (Index row = 0; row < rows; ++row) {
    double mean = 0, variance = 0, largest = 0, g = 0, g_xhat = 0;
    const float* const s = sums.data() + row * columns;
    for (Index i = 0; i < columns; ++i) mean += s[i] / static_cast<double>(columns);
    for (Index i = 0; i < columns; ++i)
      variance += (s[i] - mean) * (s[i] - mean) / static_cast<double>(columns);
    const double deviation = std::sqrt(variance);
    for (Index i = 0; i < columns; ++i) {
      const double weighted = std::abs(double{cotangent.data()[row * columns + i]} * values[2].data()[i]);
      largest = std::max(largest, std::abs(double{s[i]}));
      g += weighted / static_cast<double>(columns);
      g_xhat += weighted * std::abs(s[i] - mean) / deviation / static_cast<double>(columns);
    }
    const double moved = std::ldexp(largest, -9) / deviation;
    for (Index i = 0; i < columns; ++i) {
      const double xhat = std::abs(s[i] - mean) / deviation;
      const double bound = (moved * (g_xhat + xhat * g) + moved * moved * g) / deviation + 1e-5;
      const double difference = std::abs(double{got[0].at({row, i})} - double{expected[0].at({row, i})});
      within = within && difference <= bound;
      rounds = rounds || difference > 1e-4;
    }
  }
  CHECK(within);
  CHECK(rounds);
  CHECK(error(got[2], expected[2]) < std::ldexp(1.0, -8));
  CHECK(same_bits(got[3], expected[3]));  // it needs no sum
}

TEST_CASE("bfloat16: layer norm of x itself, without a sum", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const std::vector<Tensor> values{normal({30, 200}, 1), normal({200}, 3), normal({200}, 4)};
  const std::vector<Tensor> in = leaves(values);
  const auto zeros = leaves({values[0], Tensor::zeros({30, 200}), values[1], values[2]});
  const Autocast autocast(Precision::bfloat16);
  const Tensor y = layer_norm(in[0], in[1], in[2]);
  const Tensor expected = residual_layer_norm(zeros[0], zeros[1], {}, zeros[2], zeros[3]);
  CHECK(same_bits(y, expected));
  CHECK(same_bits(gradients(y, in)[0], gradients(expected, zeros)[0]));
}

TEST_CASE("bfloat16: graphs keep half as much", "[bfloat16]") {
  if (!can_run(Precision::bfloat16)) return;
  const std::vector<Tensor> x{normal({512, 64}, 1), normal({64}, 3), normal({64}, 4), normal({192, 64}, 5)};
  const Segments sentences = self_segments({256, 256});
  const auto attend = [&](const std::vector<Tensor>& in) {
    const Tensor qkv = linear(in[0], in[3], {});
    return attention({qkv, 0, 64}, {qkv, 64, 64}, {qkv, 128, 64}, sentences, {.heads = 4});
  };
  const auto norm = [](const std::vector<Tensor>& in) {
    return residual_layer_norm(in[0], in[0], {}, in[1], in[2]);
  };
  const std::size_t attention_bytes = kept(x, attend), norm_bytes = kept(x, norm);
  const Autocast autocast(Precision::bfloat16);
  const std::size_t numbers = 512 * 64 * sizeof(float);
  // Queries, keys and values take 1.5 numbers less; the rounded x of `linear` takes 0.5 more, and its weight.
  CHECK(kept(x, attend) < attention_bytes - numbers / 2);
  CHECK(kept(x, norm) < norm_bytes - numbers / 2 + 1024);
}
