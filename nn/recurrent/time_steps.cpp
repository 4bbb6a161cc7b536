#include "nn/recurrent/time_steps.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "autograd/machine/error.h"

namespace regard {

namespace {
/// Sentences of a block: enough rows for an efficient product, few enough that many threads find work. The
/// number of blocks is even and depends on the batch alone, so the bits do not depend on the threads.
constexpr Index most_sentences = 16;

Index count_blocks(Index sentences) {
  if (sentences <= 8) return 1;
  return 2 * ceil_divide(sentences, 2 * most_sentences);
}
}  // namespace

TimeSteps::TimeSteps(const std::vector<Index>& offsets, Direction direction) {
  const Index count = to_index(offsets.size()) - 1;
  const auto length = [&](Index i) { return offsets[to_size(i) + 1] - offsets[to_size(i)]; };
  for (Index i = 0; i < count; ++i)
    if (length(i) < 1) fail("recurrence: sentence {} is empty; every sentence needs at least one row", i);
  if (count > 0 && offsets.back() > std::numeric_limits<std::int32_t>::max())
    fail("recurrence: {} rows are too many", offsets.back());
  std::vector<Index> order(to_size(std::max<Index>(count, 0)));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return length(a) > length(b); });

  // Dealt out like cards, so that every block gets long and short sentences.
  const Index blocks = count_blocks(count);
  for (Index b = 0; b < std::min(blocks, count); ++b) {
    Block block;
    for (Index i = b; i < count; i += blocks) block.sentences.push_back(order[to_size(i)]);
    for (Index t = 0; t < length(block.sentences.front()); ++t) {
      Step step{to_index(row_order_.size()), 0};
      for (const Index sentence : block.sentences) {
        if (length(sentence) <= t) break;
        row_order_.push_back(direction == Direction::forward ? offsets[to_size(sentence)] + t
                                                             : offsets[to_size(sentence) + 1] - 1 - t);
        ++step.running;
      }
      block.steps.push_back(step);
    }
    blocks_.push_back(std::move(block));
  }
  for (Index i = 0; i < count; ++i)
    last_rows_.push_back(static_cast<std::int32_t>(
        direction == Direction::forward ? offsets[to_size(i) + 1] - 1 : offsets[to_size(i)]));
}

TimeSteps TimeSteps::one_step(Index rows) {
  std::vector<Index> offsets(to_size(rows) + 1);
  std::iota(offsets.begin(), offsets.end(), Index{0});
  return TimeSteps(offsets);
}

Index TimeSteps::widest_block() const {
  Index widest = 0;
  for (const Block& block : blocks_) widest = std::max(widest, to_index(block.sentences.size()));
  return widest;
}

}  // namespace regard
