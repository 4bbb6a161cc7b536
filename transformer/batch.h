#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/checked_cast.h"
#include "autograd/index.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Sentences one after another, without padding: sentence i is ids[offsets[i] .. offsets[i+1]). Only
/// attention asks where a sentence begins: segments() (autograd/segments.h) makes its row ranges from the
/// offsets.
struct PackedSequences {
  std::vector<std::int32_t> ids;
  std::vector<Index> offsets{0};

  Index sentences() const { return to_index(offsets.size()) - 1; }
  Index tokens() const { return to_index(ids.size()); }
  Index length(Index sentence) const { return offsets[to_size(sentence) + 1] - offsets[to_size(sentence)]; }

  void append(std::span<const std::int32_t> sentence) {
    ids.insert(ids.end(), sentence.begin(), sentence.end());
    offsets.push_back(tokens());
  }
};

/// The position of each token within its sentence: 0, 1, 2, … in each. Throws Error if the offsets do not
/// cover the ids.
std::vector<std::int32_t> positions(const PackedSequences& sequences);

/// What an encoder reads: sentences, each with </s> at its end.
using Source = PackedSequences;

/// The data of a training step: source x1 .. xn </s>; decoder input <s> y1 .. ym; target y1 .. ym </s>.
struct Batch {
  Source source;
  PackedSequences target_input;
  std::vector<std::int32_t> target_output;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
