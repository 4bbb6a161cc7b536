#include "autograd/machine/cut.h"

#include <algorithm>

namespace regard {

namespace {
// In numbers, of which a microsecond adds some 3,000. It takes some 10 microseconds to wake many threads.
constexpr Index worth_a_block = 8192, worth_sharing = 8 * worth_a_block;
constexpr Index most_blocks = 256;  // more would only cost time
constexpr Index enough_blocks = 48;

Index ceiling(Index x, Index divisor) { return (x + divisor - 1) / divisor; }
}  // namespace

Index block_size(Index count, Index numbers, Index unit) {
  if (count * numbers < worth_sharing) return std::max<Index>(count, 1);
  return ceiling(std::max(ceiling(worth_a_block, numbers), ceiling(count, most_blocks)), unit) * unit;
}

ProductCut cut_product(Index m, Index n, Index k, const ProductCut& largest, const ProductCut& smallest) {
  constexpr Index good_side = 128;  // smaller tiles spend more of their time on copying the operands
  constexpr Index worth_halving = 2 * worth_a_block * multiplications_per_number;
  ProductCut cut{largest.rows, largest.columns};
  Index enough = enough_blocks;
  const auto blocks = [&] { return ceiling(m, cut.rows) * ceiling(n, cut.columns) * cut.parts; };
  const auto halve_down_to = [&](Index rows, Index columns) {
    while (blocks() < enough && cut.rows * cut.columns * (k / cut.parts) > worth_halving) {
      const bool rows_first = cut.rows * smallest.columns >= cut.columns * smallest.rows;
      if (cut.rows > rows && (rows_first || cut.columns <= columns))
        cut.rows /= 2;
      else if (cut.columns > columns)
        cut.columns /= 2;
      else
        return;
    }
  };
  // Where the sums are the longest side, it costs least to cut them.
  if (k <= std::max(m, n))
    halve_down_to(std::max(smallest.rows, good_side), std::max(smallest.columns, good_side));
  cut.parts = std::clamp<Index>(ceiling(enough_blocks, std::max<Index>(blocks(), 1)), 1, largest.parts);
  if (cut.parts > 1) enough /= 2;  // parts of a tile cost more than tiles
  halve_down_to(smallest.rows, smallest.columns);
  return cut;
}

}  // namespace regard
