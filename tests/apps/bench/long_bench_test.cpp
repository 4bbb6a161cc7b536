// The number of operations from which `regard bench long` computes its speed.
#include "apps/bench/long_bench.h"

#include "tests/catch.h"

using namespace regard::bench;

TEST_CASE("the operations of an encoder layer, counted by hand", "[bench]") {
  const regard::transformer::Config small{.d_model = 4, .heads = 2, .d_ff = 3};
  // 5 tokens. Multiplications of one forward pass:
  const int projections = 5 * 4 * 12 + 5 * 4 * 4;  // queries, keys and values; output of attention
  const int attention =
      2 * (5 * 5 * 2) + 2 * (5 * 5 * 2);  // two heads of width 2: scores; weighted sums of values
  const int feed_forward = 5 * 4 * 3 + 5 * 3 * 4;
  // Each multiplication has one addition. Each product has one product in the forward pass and two in the
  // backward.
  CHECK(encoder_layer_flops(small, 5) == 2 * 3 * (projections + attention + feed_forward));
  CHECK(encoder_layer_flops(small, 0) == 0);
}
