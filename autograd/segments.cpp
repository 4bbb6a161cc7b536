#include "autograd/segments.h"

#include "autograd/error.h"

namespace regard {

Segments segments(const std::vector<Index>& query_offsets, const std::vector<Index>& key_offsets) {
  if (query_offsets.size() != key_offsets.size() || query_offsets.empty())
    fail("segments: {} offsets of queries and {} of keys; both need one more than there are sentences",
         query_offsets.size(), key_offsets.size());
  Segments result;
  for (std::size_t i = 0; i + 1 < query_offsets.size(); ++i) {
    if (query_offsets[i] > query_offsets[i + 1] || key_offsets[i] > key_offsets[i + 1])
      fail("segments: the offsets of sentence {} do not ascend", i);
    result.push_back({query_offsets[i], query_offsets[i + 1], key_offsets[i], key_offsets[i + 1]});
  }
  return result;
}

}  // namespace regard
