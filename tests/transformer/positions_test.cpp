// The kinds of positions that are inside self-attention: what they depend on.
// Each property has a case in which it does not hold.
#include <algorithm>
#include <cmath>

#include "autograd/machine/error.h"
#include "nn/multi_head_attention.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"

using namespace regard;
using namespace regard::tests;
using nn::PositionKind;
using Mask = nn::MultiHeadAttention::Mask;

namespace {

constexpr Index row_width = 8, row_count = 9;
const std::vector<PositionKind> inside{PositionKind::relative, PositionKind::rotary, PositionKind::alibi};

nn::MultiHeadAttention make_attention(PositionKind kind) {
  Random random(1);
  nn::MultiHeadAttention attention(
      {.d_model = row_width, .heads = 2, .positions = {.kind = kind, .base = 100, .radius = 3}}, random);
  randomise(attention, 2);
  return attention;
}

Tensor weights_of(nn::MultiHeadAttention& attention, const Tensor& x, Mask mask = Mask::none) {
  const nn::AttentionRecord record;
  attention.self(x, self_segments({x.size(0)}), mask);
  return record.weights.at(&attention).front();
}

/// The same row again and again: scores then depend on positions alone.
Tensor equal_rows(Index count) {
  const Tensor row = normal({1, row_width}, 3);
  return gather(row, 0, std::vector<std::int32_t>(to_size(count), 0));
}

/// log(weight of key `key` / weight of key `other`) in the first head: the difference of their scores.
double score_difference(const Tensor& weights, Index query, Index key, Index other) {
  return std::log(weights.at({0, query, key}) / weights.at({0, query, other}));
}

EncoderDecoder positioned_model(PositionKind kind, PositionSides sides, std::uint64_t seed) {
  Config config = small_config();
  config.positions = {.kind = kind, .radius = 2};
  config.position_sides = sides;
  EncoderDecoder model = make_model(config, seed);
  model.eval();
  return model;
}

}  // namespace

TEST_CASE("scores of equal rows depend on the distance alone, and on the distance") {
  for (const PositionKind kind : inside) {
    INFO(static_cast<int>(kind));
    nn::MultiHeadAttention attention = make_attention(kind);
    const Tensor weights = weights_of(attention, equal_rows(row_count));
    double same = 0, other = 1e9;
    for (Index query = 1; query + 2 < row_count; ++query) {  // the keys at the distances 0, 1 and -1
      const double ahead = score_difference(weights, query, query + 1, query),
                   ahead_of_next = score_difference(weights, query + 1, query + 2, query + 1);
      same = std::max(same, std::abs(ahead - ahead_of_next));
      other = std::min(other, std::abs(ahead));
    }
    CHECK(same < 1e-12);
    CHECK(other > 1e-3);
  }
  nn::MultiHeadAttention without = make_attention(PositionKind::none);
  CHECK(std::abs(score_difference(weights_of(without, equal_rows(row_count)), 3, 4, 3)) < 1e-14);
}

TEST_CASE("ALiBi: the slopes of four heads are 1/4, 1/16, 1/64 and 1/256 (Press et al. 2022, section 3)") {
  Random random(7);
  nn::MultiHeadAttention attention(
      {.d_model = row_width, .heads = 4, .positions = {.kind = PositionKind::alibi}}, random);
  const Tensor weights = weights_of(attention, equal_rows(4));
  for (Index head = 0; head < 4; ++head) {
    const double slope = std::log(weights.at({head, 0, 0}) / weights.at({head, 0, 3})) / 3;
    CHECK(slope == Approx(std::pow(0.25, static_cast<double>(head + 1))).epsilon(1e-10));
  }
  CHECK(weights.at({0, 3, 0}) == Approx(weights.at({0, 0, 3})));  // ahead as behind
}

TEST_CASE("a permutation of the rows permutes the outputs without positions, and not with any kind") {
  const std::vector<std::int32_t> order{3, 0, 4, 1, 2};
  const Tensor x = normal({5, row_width}, 8);
  const auto difference = [&](PositionKind kind) {
    nn::MultiHeadAttention attention = make_attention(kind);
    const auto run = [&](const Tensor& rows) { return attention.self(rows, self_segments({5}), Mask::none); };
    return error(run(gather(x, 0, order)), gather(run(x), 0, order));
  };
  CHECK(difference(PositionKind::none) < 1e-14);
  for (const PositionKind kind : inside) CHECK(difference(kind) > 1e-3);
}

TEST_CASE("the positions of one side are on that side alone") {
  const auto encoded = [](EncoderDecoder& model, const Ids& source) {
    return rows(model.encode(pack_sources({source})).rows, 0, 1);
  };
  const Ids source{4, 5, 6, 7}, permuted{4, 6, 5, 7};
  for (const PositionKind kind : {PositionKind::sinusoidal, PositionKind::learned, PositionKind::relative,
                                  PositionKind::rotary, PositionKind::alibi})
    for (const PositionSides sides : {PositionSides::both, PositionSides::encoder, PositionSides::decoder}) {
      INFO(static_cast<int>(kind) << ", " << static_cast<int>(sides));
      EncoderDecoder model = positioned_model(kind, sides, 9);
      const bool on_encoder = error(encoded(model, source), encoded(model, permuted)) > 1e-6;
      CHECK(on_encoder == (sides != PositionSides::decoder));
      // Two words change places before the last; the causal mask alone keeps the others apart.
      const auto decoded = [&](const Ids& target) {
        const Tensor all = model.logits(make_batch({source}, {target}));
        return rows(all, all.size(0) - 1, all.size(0));
      };
      Config one_layer = small_config();  // with more layers, the mask itself tells the order
      one_layer.decoder_layers = 1;
      one_layer.positions = {.kind = kind, .radius = 2};
      one_layer.position_sides = sides;
      model = make_model(one_layer, 10);
      const bool on_decoder = error(decoded({4, 5, 6, 7}), decoded({4, 6, 5, 7})) > 1e-6;
      CHECK(on_decoder == (sides != PositionSides::encoder));
    }
}

TEST_CASE("rotary positions need heads of an even width") {
  Random random(1);
  const auto make = [&](Index d_model, PositionKind kind) {
    return nn::MultiHeadAttention({.d_model = d_model, .heads = 2, .positions = {.kind = kind}}, random);
  };
  CHECK_ERROR(make(6, PositionKind::rotary), "a head has 3");
  CHECK_NOTHROW(make(6, PositionKind::alibi));
  CHECK_NOTHROW(make(8, PositionKind::rotary));
}
