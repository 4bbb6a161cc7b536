// Positions, Vaswani et al. 2017, section 3.5: interleaved sine and cosine, from position 0, to any position.
#include <numeric>

#include "autograd/machine/error.h"
#include "nn/sinusoidal_positions.h"
#include "tests/catch.h"
#include "tests/nn/sinusoids.h"
#include "tests/nn/support.h"

using namespace regard;
using namespace regard::tests;

namespace {

Tensor encodings(Index d_model, const Positions& positions) {
  return nn::SinusoidalPositions(d_model).encodings(positions);
}

}  // namespace

TEST_CASE("positional encodings computed by hand") {  // sine and cosine of 1, of 0.03
  const Tensor pe = encodings(4, {0, 1, 2, 3});
  CHECK(pe.at({1, 0}) == Approx(0.8414709848).epsilon(1e-10));
  CHECK(pe.at({1, 1}) == Approx(0.5403023059).epsilon(1e-10));
  CHECK(pe.at({3, 2}) == Approx(0.0299955002).epsilon(1e-8));
  CHECK(pe.at({3, 3}) == Approx(0.9995500337).epsilon(1e-10));
}

TEST_CASE("layouts of other programs: sines in the first half, and Marian's wavelengths") {
  // By hand: with width 6, pair i has the angle position / 10000^(2i/6), in Marian position / 10000^(i/2).
  const Positions one{1};
  for (const auto& [layout, last] :
       {std::pair{nn::SinusoidLayout::halves, 0.00215443469}, {nn::SinusoidLayout::marian, 0.0001}}) {
    nn::SinusoidalPositions encoding(6, 10000, layout);
    const Tensor pe = encoding.encodings(one);
    CHECK(pe.at({0, 0}) == Approx(0.8414709848).epsilon(1e-10));
    CHECK(pe.at({0, 3}) == Approx(0.5403023059).epsilon(1e-10));
    CHECK(pe.at({0, 2}) == Approx(std::sin(last)).epsilon(1e-8));
    CHECK(pe.at({0, 5}) == Approx(std::cos(last)).epsilon(1e-8));
  }
  // halves has the columns of interleaved in another order, for even and odd widths.
  const Positions positions{0, 1, 7, 40};
  for (const Index width : {1, 2, 5, 8}) {
    nn::SinusoidalPositions halves(width, 10000, nn::SinusoidLayout::halves);
    std::vector<std::int32_t> order;
    for (const Index first : {0, 1})
      for (Index column = first; column < width; column += 2)
        order.push_back(static_cast<std::int32_t>(column));
    CHECK(same_bits(halves.encodings(positions), gather(encodings(width, positions), 1, order)));
  }
  Random random(7);
  const Tensor x = normal({1, 6}, 8);
  nn::SinusoidalPositions marian(6, 10000, nn::SinusoidLayout::marian);
  nn::PositionalEncoding of_settings(6, {.layout = nn::SinusoidLayout::marian}, random);
  CHECK(same_bits(of_settings(x, Positions{3}), x + marian.encodings(Positions{3})));
}

TEST_CASE("positional encodings agree with the formula, for even and odd widths") {
  Positions positions(100);
  std::iota(positions.begin(), positions.end(), 0);
  for (const Index d_model : {1, 2, 3, 5, 8, 64, 127})
    CHECK(error(encodings(d_model, positions), expected_sinusoids(d_model, positions)) < 1e-13);
}

TEST_CASE("any position has an encoding, in any order, and the table's growth changes none") {
  nn::SinusoidalPositions encoding(6);
  const Positions near{3, 0, 127, 3};
  const Tensor before = encoding.encodings(near);
  CHECK(error(before, expected_sinusoids(6, near)) < 1e-13);
  for (const Positions& far :
       {Positions{128}, Positions{255, 256, 257}, Positions{128, 5000, 2}, Positions{20000}})
    CHECK(error(encoding.encodings(far), expected_sinusoids(6, far)) < 1e-11);
  CHECK(same_bits(encoding.encodings(near), before));
}

TEST_CASE("the encoding is added, and gradients pass through it unchanged") {
  Random random(7);
  nn::PositionalEncoding encoding(4, {}, random);
  Tensor x = normal({3, 4}, 1);
  x.set_requires_grad();
  const Positions positions{4, 0, 9};
  const Tensor y = encoding(x, positions);
  CHECK(error(y, x + Tensor::from({3, 4}, std::span<const Real>(expected_sinusoids(4, positions)))) < 1e-14);
  CHECK(same_bits(gradients(y, {x}).front(), normal({3, 4}, 4711)));
}

TEST_CASE("positional encoding refuses negative positions and rows without one") {
  nn::SinusoidalPositions sinusoidal(4);
  Random random(7);
  nn::PositionalEncoding encoding(4, {}, random);
  CHECK_ERROR(sinusoidal.encodings(Positions{2, -1}), "position -1 is negative");
  CHECK_THAT(MESSAGE_OF(encoding(Tensor::zeros({3, 4}), Positions{0, 1})),
             ContainsSubstring("[3, 4]") && ContainsSubstring("[2, 4]"));
  CHECK(sinusoidal.encodings({}).shape() == Shape{0, 4});
}

TEST_CASE("positions of other kinds: another base, learned, none, concatenated") {
  using nn::PositionKind;
  using nn::PositionUse;
  Random random(7);
  const Positions at{0, 1, 2, 0, 5};
  const Tensor x = normal({5, 4}, 8);
  const auto make = [&](const nn::Positions::Settings& settings) {
    return nn::PositionalEncoding(4, settings, random);
  };
  nn::SinusoidalPositions usual(4), shorter(4, 100);
  CHECK(same_bits(make({})(x, at), x + usual.encodings(at)));
  CHECK(same_bits(make({.base = 100})(x, at), x + shorter.encodings(at)));
  CHECK(shorter.encodings(Positions{5}).at({0, 2}) == Approx(std::sin(5 / std::sqrt(100.0))).epsilon(1e-14));
  CHECK(same_bits(make({.kind = PositionKind::none})(x, at), x));
  CHECK(make({.kind = PositionKind::none}).parameters().empty());

  nn::PositionalEncoding learned = make({.kind = PositionKind::learned, .most = 6});
  CHECK(names(learned) == std::vector<std::string>{"weight"});
  CHECK(same_bits(learned(x, at), x + gather(learned.parameters()[0].tensor, 0, at)));
  CHECK_THROWS_WITH(learned(x, Positions{0, 1, 2, 0, 6}),
                    ContainsSubstring("position 6") && ContainsSubstring("6 positions"));

  for (const PositionKind kind : {PositionKind::sinusoidal, PositionKind::learned}) {
    nn::PositionalEncoding both = make({.kind = kind, .use = PositionUse::concatenated, .most = 6});
    const Tensor encoding =
        kind == PositionKind::learned ? gather(both.parameters()[0].tensor, 0, at) : usual.encodings(at);
    const Tensor expected = matmul(x, transpose(slice(both.projection, 1, 0, 4))) +
                            matmul(encoding, transpose(slice(both.projection, 1, 4, 8)));
    CHECK(error(both(x, at), expected) < 1e-14);
  }
}

TEST_CASE("threads may use one positional encoding at the same time, and each makes its table longer") {
  const Threads two(2);
  constexpr Index count = 8, d_model = 2;
  const auto position = [](Index i) { return static_cast<std::int32_t>(i * 40); };
  nn::SinusoidalPositions expected(d_model);
  for (int round = 0; round < 5000; ++round) {
    nn::SinusoidalPositions encoding(d_model);
    std::vector<Tensor> got(to_size(count));
    parallel_for(count, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) got[to_size(i)] = encoding.encodings(std::array{position(i)});
    });
    for (Index i = 0; i < count; ++i)
      REQUIRE(same_bits(got[to_size(i)], expected.encodings(std::array{position(i)})));
  }
}
