#include "apps/inspection/shifts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::translation {

namespace {

using Lengths = std::vector<float>;

constexpr Index block_lines = 128, most_offset = 32;
constexpr double least_correlation = 0.5, least_gain = 0.3;

/// log(1 + characters) of each line, less the mean of the file: 0 is a line of usual length on either side.
Lengths logarithms(const std::vector<std::uint32_t>& characters) {
  Lengths result;
  for (const std::uint32_t count : characters) result.push_back(std::log1p(static_cast<float>(count)));
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (float& length : result) length -= static_cast<float>(sum / static_cast<double>(result.size()));
  return result;
}

/// The correlation of x[first …] with y[first + offset …] in a block; 0 if one of them is constant or some
/// lines do not exist.
double correlation(const Lengths& x, const Lengths& y, Index first, Index offset) {
  if (first + offset < 0 || first + offset + block_lines > std::ssize(y)) return 0;
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_yy = 0, sum_xy = 0;
  for (Index i = first; i < first + block_lines; ++i) {
    const double a = x[to_size(i)], b = y[to_size(i + offset)];
    sum_x += a, sum_y += b, sum_xx += a * a, sum_yy += b * b, sum_xy += a * b;
  }
  const double n = block_lines;
  const double spread = (n * sum_xx - sum_x * sum_x) * (n * sum_yy - sum_y * sum_y);
  return spread > 1e-9 ? (n * sum_xy - sum_x * sum_y) / std::sqrt(spread) : 0;
}

/// The shift of one block; its offset is 0 if there is none.
Shift shift_of(const Lengths& x, const Lengths& y, Index first) {
  Shift shift{.first = first};
  shift.as_it_is = shift.shifted = correlation(x, y, first, 0);
  for (Index offset = -most_offset; offset <= most_offset; ++offset)
    if (const double found = correlation(x, y, first, offset);
        found > shift.shifted && found >= std::max(least_correlation, shift.as_it_is + least_gain)) {
      shift.offset = offset;
      shift.shifted = found;
    }
  return shift;
}

/// The line from `begin` to `end` at which the offset changes: lines before it fit best with `before`, and
/// lines from it on with `after`. A line fits if both its lengths are equally far from the usual ones.
Index border(const Lengths& x, const Lengths& y, Index begin, Index end, Index before, Index after) {
  const auto misfit = [&](Index i, Index offset) {
    const bool exists = i + offset >= 0 && i + offset < std::ssize(y);
    return exists ? std::abs(y[to_size(i + offset)] - x[to_size(i)]) : 1.0f;
  };
  double sum = 0, least = 0;
  Index best = begin;
  for (Index i = begin; i < end; ++i) {
    sum += static_cast<double>(misfit(i, before) - misfit(i, after));
    if (sum < least) {
      least = sum;
      best = i + 1;
    }
  }
  return best;
}

}  // namespace

std::vector<Shift> find_shifts(const std::vector<std::uint32_t>& source,
                               const std::vector<std::uint32_t>& target) {
  const Lengths x = logarithms(source), y = logarithms(target);
  const Index lines = std::ssize(x), count = lines / block_lines;
  std::vector<Shift> blocks(to_size(count));
  parallel_for(count, 8, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) blocks[to_size(b)] = shift_of(x, y, b * block_lines);
  });
  // A block without an offset between two with one has the change from one to the other, or few clear lines.
  for (std::size_t b = 1; b + 1 < blocks.size(); ++b)
    if (blocks[b].offset == 0 && blocks[b + 1].offset != 0) blocks[b].offset = blocks[b - 1].offset;
  std::vector<Shift> shifts;
  Index before = 0;  // the offset of the block before
  for (Index b = 0; b <= count; ++b) {
    const Shift block = b < count ? blocks[to_size(b)] : Shift();
    if (block.offset == before) continue;
    const Index change = border(x, y, std::max(Index{0}, (b - 1) * block_lines),
                                std::min(lines, (b + 1) * block_lines), before, block.offset);
    if (before != 0) shifts.back().last = change - 1;
    if (block.offset != 0) {
      shifts.push_back(block);
      shifts.back().first = change;
    }
    before = block.offset;
  }
  return shifts;
}

}  // namespace regard::translation
