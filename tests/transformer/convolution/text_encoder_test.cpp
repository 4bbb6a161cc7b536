// The convolutional encoder of text: its values by a plain loop, and how far a token sees.
#include "transformer/convolution/text_encoder.h"

#include <cmath>
#include <memory>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr Index text_width = 6;

TextConvolutionalEncoder text_encoder(Index window, Index layers, std::uint64_t seed,
                                      nn::PositionKind positions = nn::PositionKind::none) {
  Random random(seed);
  TextConvolutionalEncoder encoder({.layers = layers, .window = window, .positions = {.kind = positions}},
                                   nn::Embedding(11, text_width, random), random);
  randomise(encoder, seed + 1, 0.3);
  return encoder;
}

/// One layer, token by token of each sentence.
Numbers layer_by_loops(const Numbers& x, const std::vector<Index>& offsets, Index window,
                       const TextConvolutionalLayer& layer) {
  Numbers y = x;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    for (Index i = offsets[s]; i < offsets[s + 1]; ++i)
      for (Index out = 0; out < text_width; ++out) {
        double value = layer.linear.bias.at({out}), gate = layer.linear.bias.at({text_width + out});
        for (Index place = 0; place < window; ++place)
          for (Index in = 0; in < text_width; ++in) {
            const Index token = i - window / 2 + place, column = place * text_width + in;
            if (token < offsets[s] || token >= offsets[s + 1]) continue;
            value += layer.linear.weight.at({out, column}) * x[to_size(token * text_width + in)];
            gate += layer.linear.weight.at({text_width + out, column}) * x[to_size(token * text_width + in)];
          }
        y[to_size(i * text_width + out)] += value / (1 + std::exp(-gate));
      }
  return y;
}

/// The tokens of the memory's rows that differ in any bit.
std::vector<Index> different_rows(const Tensor& a, const Tensor& b) {
  std::vector<Index> rows_that_differ;
  for (Index row = 0; row < a.size(0); ++row)
    if (numbers(rows(a, row, row + 1)) != numbers(rows(b, row, row + 1))) rows_that_differ.push_back(row);
  return rows_that_differ;
}

}  // namespace

TEST_CASE("the windows of tokens end with their sentence") {
  CHECK(windows_of_tokens({0, 3, 4}, 3) == Ids{4, 0, 1, 0, 1, 2, 1, 2, 4, 4, 3, 4});
  CHECK(windows_of_tokens({0, 2}, 5) == Ids{2, 2, 0, 1, 2, 2, 0, 1, 2, 2});
  CHECK(windows_of_tokens({0, 2}, 1) == Ids{0, 1});
  CHECK(windows_of_tokens({0}, 3).empty());
}

TEST_CASE("the convolutional encoder of text computes what plain loops compute") {
  for (const Index window : {1, 3, 5}) {
    TextConvolutionalEncoder encoder = text_encoder(window, 2, 3);
    encoder.eval();
    const PackedSequences source = pack_sources(random_sentences({3, 0, 6, 1}, 11, 5));
    Numbers expected = numbers(encoder.input(source));
    for (const TextConvolutionalLayer& layer : encoder.layers)
      expected = layer_by_loops(expected, source.offsets, window, layer);
    const Memory memory = encoder.encode(source);
    CHECK(memory.offsets == source.offsets);
    const Numbers got = numbers(memory.rows);
    REQUIRE(got.size() == expected.size());
    double difference = 0;
    for (std::size_t i = 0; i < got.size(); ++i)
      difference = std::max(difference, std::abs(got[i] - expected[i]));
    CHECK(difference < 1e-12);
  }
}

TEST_CASE("a token sees window / 2 tokens on each side for each layer, and no other sentence") {
  const PackedSequences source = pack_sources(random_sentences({4, 9, 4}, 11, 6));  // rows 0-4, 5-14, 15-19
  const auto seen_from = [&](Index changed, Index window, Index layers) {
    TextConvolutionalEncoder encoder = text_encoder(window, layers, 4);
    encoder.eval();
    PackedSequences other = source;
    other.ids[to_size(changed)] = other.ids[to_size(changed)] == 5 ? 6 : 5;
    return different_rows(encoder.encode(source).rows, encoder.encode(other).rows);
  };
  using Rows = std::vector<Index>;
  CHECK(seen_from(9, 1, 3) == Rows{9});
  CHECK(seen_from(9, 3, 1) == Rows{8, 9, 10});
  CHECK(seen_from(9, 3, 2) == Rows{7, 8, 9, 10, 11});
  CHECK(seen_from(9, 5, 2) == Rows{5, 6, 7, 8, 9, 10, 11, 12, 13});
  CHECK(seen_from(5, 5, 2) == Rows{5, 6, 7, 8, 9});        // nothing before its sentence
  CHECK(seen_from(14, 5, 2) == Rows{10, 11, 12, 13, 14});  // and nothing after it
  CHECK(seen_from(4, 5, 9) == Rows{0, 1, 2, 3, 4});
}

TEST_CASE("the gradient of a sentence does not reach another one") {
  TextConvolutionalEncoder encoder = text_encoder(5, 3, 7);
  encoder.eval();
  PackedSequences source;
  source.append(Ids{4, 5, 6, 2});
  source.append(Ids{7, 8, 2});
  sum(rows(encoder.encode(source).rows, 4, 7)).backward();
  const Tensor gradient = encoder.input.embedding.weight.grad();
  for (const Index id : {4, 5, 6})
    for (const double value : numbers(rows(gradient, id, id + 1))) CHECK(value == 0);
  for (const Index id : {7, 8}) CHECK(gradient.at({id, 0}) != 0);
}

TEST_CASE("the convolutional encoder of text knows places if it has positions") {
  const auto first_and_later = [](nn::PositionKind kind) {
    TextConvolutionalEncoder encoder = text_encoder(3, 1, 8, kind);
    encoder.eval();
    const Tensor x = encoder.encode(pack_sources({{4, 4, 4, 4, 4, 4}})).rows;
    return std::pair{numbers(rows(x, 1, 2)), numbers(rows(x, 4, 5))};
  };
  const auto [one, other] = first_and_later(nn::PositionKind::none);
  CHECK(one == other);
  const auto [with_one, with_other] = first_and_later(nn::PositionKind::sinusoidal);
  CHECK(with_one != with_other);
}

TEST_CASE("a window of tokens is odd") {
  for (const Index window : {0, 2, -1}) CHECK_ERROR(text_encoder(window, 1, 1), "needs an odd number");
}
