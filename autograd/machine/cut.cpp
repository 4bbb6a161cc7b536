#include "autograd/machine/cut.h"

#include <algorithm>

namespace regard {

namespace {
// Work is counted in additions to numbers in memory. A core does about 3,000 of them in a microsecond, so a
// block has at least 3 microseconds of work. It takes about 10 microseconds to wake many threads, so a loop
// of less than 20 microseconds runs on one thread.
constexpr Index worth_a_block = 8192, worth_sharing = 8 * worth_a_block;
constexpr Index most_blocks = 256;  // more would only cost time
constexpr Index enough_blocks = 48;
}  // namespace

Index block_size(Index count, Index numbers, Index unit) {
  if (count * numbers < worth_sharing) return std::max<Index>(count, 1);
  return round_up(std::max(ceil_divide(worth_a_block, numbers), ceil_divide(count, most_blocks)), unit);
}

ProductCut cut_product(Index m, Index n, Index k, const ProductCut& largest, const ProductCut& smallest) {
  constexpr Index good_side = 128;  // smaller tiles spend more of their time on copying the operands
  constexpr Index worth_halving = 2 * worth_a_block * multiplications_per_number;
  ProductCut cut{largest.rows, largest.columns};
  Index enough = enough_blocks;
  const auto blocks = [&] { return ceil_divide(m, cut.rows) * ceil_divide(n, cut.columns) * cut.parts; };
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
  cut.parts = std::clamp<Index>(ceil_divide(enough_blocks, std::max<Index>(blocks(), 1)), 1, largest.parts);
  if (cut.parts > 1) enough /= 2;  // parts of a tile cost more than tiles
  halve_down_to(smallest.rows, smallest.columns);
  return cut;
}

}  // namespace regard
