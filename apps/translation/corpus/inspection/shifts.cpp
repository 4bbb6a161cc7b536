#include "apps/translation/corpus/inspection/shifts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {

namespace {

using Lengths = std::vector<float>;  // log(1 + characters) of each line

constexpr Index block_lines = 128, most_offset = 32;
constexpr double least_correlation = 0.5, least_gain = 0.3;

Lengths logarithms(std::span<const std::uint32_t> characters) {
  Lengths result;
  for (const std::uint32_t count : characters) result.push_back(std::log1p(static_cast<float>(count)));
  return result;
}

/// The correlation of x[first …] with y[first + offset …], `count` lines; 0 if one of them is constant or
/// some lines do not exist.
double correlation(const Lengths& x, const Lengths& y, Index first, Index count, Index offset) {
  if (first + offset < 0 || first + count > std::ssize(x) || first + offset + count > std::ssize(y)) return 0;
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_yy = 0, sum_xy = 0;
  for (Index i = first; i < first + count; ++i) {
    const double a = x[to_size(i)], b = y[to_size(i + offset)];
    sum_x += a, sum_y += b, sum_xx += a * a, sum_yy += b * b, sum_xy += a * b;
  }
  const double n = static_cast<double>(count);
  const double spread = (n * sum_xx - sum_x * sum_x) * (n * sum_yy - sum_y * sum_y);
  return spread > 1e-9 ? (n * sum_xy - sum_x * sum_y) / std::sqrt(spread) : 0;
}

/// The shift of one block; its offset is 0 if there is none.
Shift shift_of(const Lengths& x, const Lengths& y, Index first) {
  Shift shift{.first = first, .last = first + block_lines - 1};
  shift.as_it_is = shift.shifted = correlation(x, y, first, block_lines, 0);
  for (Index offset = -most_offset; offset <= most_offset; ++offset)
    if (const double found = correlation(x, y, first, block_lines, offset);
        found > shift.shifted && found >= std::max(least_correlation, shift.as_it_is + least_gain)) {
      shift.offset = offset;
      shift.shifted = found;
    }
  return shift;
}

/// The line from `begin` to `end` at which the offset changes: lines before it fit best with `before`, and
/// lines from it on with `after`. A line fits if the ratio of its lengths is near `usual` (a logarithm).
Index border(const Lengths& x, const Lengths& y, Index begin, Index end, Index before, Index after,
             double usual) {
  const auto misfit = [&](Index i, Index offset) {
    const bool exists = i + offset >= 0 && i + offset < std::ssize(y);
    return exists ? std::abs(y[to_size(i + offset)] - x[to_size(i)] - usual) : 1.0;
  };
  double sum = 0, least = 0;
  Index best = begin;
  for (Index i = begin; i < end; ++i) {
    sum += misfit(i, before) - misfit(i, after);
    if (sum < least) {
      least = sum;
      best = i + 1;
    }
  }
  return best;
}

}  // namespace

std::vector<Shift> find_shifts(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target) {
  const Lengths x = logarithms(source), y = logarithms(target);
  const Index lines = std::min(std::ssize(x), std::ssize(y));
  std::vector<Shift> blocks(to_size(lines / block_lines));
  parallel_for(std::ssize(blocks), 8, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) blocks[to_size(b)] = shift_of(x, y, b * block_lines);
  });
  std::vector<Shift> shifts;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Shift& block = blocks[b];
    if (block.offset == 0) continue;
    double usual = 0;  // in this block, with its offset
    for (Index i = block.first; i <= block.last; ++i)
      usual += (y[to_size(i + block.offset)] - x[to_size(i)]) / static_cast<double>(block_lines);
    const bool goes_on = !shifts.empty() && shifts.back().offset == block.offset &&
                         block.first - shifts.back().last <= 2 * block_lines;
    if (!goes_on) {  // it may have begun in the block before
      const bool follows = !shifts.empty() && block.first - shifts.back().last <= 2 * block_lines;
      const Index from = std::max(Index{0}, block.first - block_lines);
      shifts.push_back(block);
      Shift& begun = shifts.back();
      begun.first =
          border(x, y, from, block.last + 1, follows ? shifts.end()[-2].offset : 0, block.offset, usual);
      if (follows) shifts.end()[-2].last = begun.first - 1;
    }
    // It may end in the next block, or with the file.
    const Index to = std::min(lines, block.last + 1 + block_lines);
    shifts.back().last = border(x, y, block.last + 1, to, block.offset, 0, usual) - 1;
  }
  return shifts;
}

}  // namespace regard::translation
