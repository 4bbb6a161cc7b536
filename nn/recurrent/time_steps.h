#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

// The order in which recurrences read packed sentences.

namespace regard {

/// The end of a sentence at which a recurrence begins.
enum class Direction { forward, backward };

/// The order in which a recurrence reads the rows of a packed batch, without padding. Sentences do not depend
/// on each other, so they are dealt out to blocks, and each block runs through all its steps by itself, on a
/// thread of its own. Within a block the longest sentence is first: the sentences that run at a step are the
/// first ones, and their states lie together in memory.
class TimeSteps {
 public:
  /// `offsets` as in PackedSequences: sentence i has the rows offsets[i] .. offsets[i + 1]. Throws Error if a
  /// sentence has no rows.
  explicit TimeSteps(const std::vector<Index>& offsets, Direction direction = Direction::forward);
  /// A single step: every row is a sentence.
  static TimeSteps one_step(Index rows);

  /// One step of a block.
  struct Step {
    Index first;    ///< place in the list of rows
    Index running;  ///< sentences of the block that run at this step: the first ones
  };
  struct Block {
    std::vector<Index> sentences;  ///< longest first
    std::vector<Step> steps;
  };

  const std::vector<Block>& blocks() const { return blocks_; }  ///< each can run on a thread of its own
  /// The rows that a step reads, one for each running sentence, in the order of the block's sentences.
  std::span<const Index> rows_of(const Step& step) const {
    return {row_order_.data() + step.first, to_size(step.running)};
  }
  Index sentences() const { return to_index(last_rows_.size()); }  ///< of the whole batch
  Index rows() const { return to_index(row_order_.size()); }       ///< of the whole batch
  /// The number of sentences in the largest block.
  Index widest_block() const;
  /// The row that the recurrence reads last in each sentence.
  std::span<const std::int32_t> last_rows() const { return last_rows_; }

 private:
  std::vector<Block> blocks_;
  std::vector<Index> row_order_;
  std::vector<std::int32_t> last_rows_;
};

}  // namespace regard
