// Additive scores: the same bits on any number of threads, and the smallest shapes.
#include "nn/general_attention/pairs.h"
#include "tests/autograd/same_bits.h"
#include "tests/autograd/small_sizes.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("the same bits on any number of threads: additive scores") {
  std::vector<Index> lengths;
  for (Index i = 0; i < 120; ++i) lengths.push_back(1 + i * 7 % 11);
  const std::vector<Index> at = offsets(lengths);
  const KeyRanges ranges = all_keys(self_segments(lengths));
  check_bits("additive_scores", {{at.back(), 64}, {at.back(), 64}, {64}},
             [&](Inputs x) { return additive_scores(x[0], x[1], x[2], ranges); });
}

TEST_CASE("additive scores of one pair") {
  const KeyRanges one = all_keys({{0, 1, 0, 1}});
  for (const Index width : {0, 1, 4})
    check("additive_scores", {1}, {{1, width}, {1, width}, {width}},
          [&](Inputs x) { return additive_scores(x[0], x[1], x[2], one); });
}
