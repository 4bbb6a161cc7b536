#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/real.h"

namespace regard::inline REGARD_PRECISION::transformer {

/// Sentences one after another, without padding: sentence i is ids[offsets[i] .. offsets[i+1]).
struct PackedSequences {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> offsets{0};

  std::int64_t sentences() const { return static_cast<std::int64_t>(offsets.size()) - 1; }
  std::int64_t tokens() const { return static_cast<std::int64_t>(ids.size()); }

  void append(std::span<const std::int32_t> sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    offsets.push_back(tokens());
  }
};

/// What a training step sees: source x1..xn </s>; decoder input <s> y1..ym; target y1..ym </s>.
struct Batch {
  PackedSequences source, target_input;
  std::vector<std::int32_t> target_output;
};

}  // namespace regard::inline REGARD_PRECISION::transformer
