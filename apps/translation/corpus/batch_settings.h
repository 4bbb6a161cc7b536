#pragma once

#include "autograd/real.h"

namespace regard::translation {

enum class BatchOrder {
  bucketed,  ///< a batch holds pairs of similar length; the batches come in random order
  mixed      ///< a batch holds pairs of any length
};

struct BatchSettings {
  /// The most tokens of a batch on either side, </s> counted: at most so many source tokens and at most so
  /// many target tokens. There is no padding to count; where batches are padded, this is about fairseq's
  /// --max-tokens.
  Index tokens = 4096;
  BatchOrder order = BatchOrder::bucketed;
};

}  // namespace regard::translation
