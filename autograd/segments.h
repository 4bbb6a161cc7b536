#pragma once

#include <vector>

#include "autograd/index.h"

namespace regard {

/// One sentence of a packed batch as attention sees it: rows query_begin .. query_end of the queries look at
/// rows key_begin .. key_end of the keys and values, and at no others.
struct Segment {
  Index query_begin, query_end, key_begin, key_end;
};
using Segments = std::vector<Segment>;

/// Sentence i of the queries (rows query_offsets[i] .. query_offsets[i+1]) looks at sentence i of the keys.
/// Throws Error when the two lists hold different numbers of sentences or do not ascend.
Segments segments(const std::vector<Index>& query_offsets, const std::vector<Index>& key_offsets);

}  // namespace regard
