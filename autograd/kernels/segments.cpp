#include "autograd/kernels/segments.h"

#include <algorithm>

#include "autograd/machine/error.h"

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

KeyRanges make_ranges(const Segments& segments, const BoundsOfQuery& bounds) {
  constexpr Index most = Index{1} << 31;  // so the number of pairs fits an Index
  KeyRanges ranges;
  for (const Segment& s : segments) {
    const Index keys = s.key_end - s.key_begin;
    if (s.query_begin != ranges.queries() || s.query_end < s.query_begin)
      fail("key ranges: a sentence has the queries {} to {}, but the next query is {}; leave no gaps",
           s.query_begin, s.query_end, ranges.queries());
    if (s.key_begin < 0 || std::max(s.query_end, s.key_end) > most)
      fail("key ranges: a sentence has the keys {} to {}; rows count from 0 to {}", s.key_begin, s.key_end,
           most);
    if (s.query_begin == s.query_end) continue;
    if (keys < 1)
      fail("key ranges: the sentence with queries {} to {} has no keys", s.query_begin, s.query_end);
    for (Index query = s.query_begin; query < s.query_end; ++query) {
      const auto [begin, end] = bounds(s, query, keys);
      ranges.first.push_back(s.key_begin + begin);
      ranges.position.push_back(begin);
      ranges.length.push_back(keys);
      ranges.offsets.push_back(ranges.offsets.back() + end - begin);
    }
    ranges.groups.push_back(s.query_end);
  }
  return ranges;
}

KeyRanges all_keys(const Segments& segments) {
  return make_ranges(segments, [](const Segment&, Index, Index keys) { return KeyBounds{0, keys}; });
}

KeyRanges keys_up_to_query(const Segments& segments) {
  return make_ranges(segments, [](const Segment& s, Index query, Index keys) {
    const Index seen = keys - (s.query_end - 1 - query);
    if (seen < 1)
      fail("key ranges: a sentence has {} keys for {} queries, so the mask leaves none to the first", keys,
           s.query_end - s.query_begin);
    return KeyBounds{0, seen};
  });
}

}  // namespace regard
