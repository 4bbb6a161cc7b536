#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

// Which queries of a packed batch look at which keys.

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

/// The keys that each query looks at: consecutive rows of the keys, whose number may differ from query to
/// query. The scores of all queries lie one after another in one tensor [pairs()], without padding: those of
/// query i are the elements offsets[i] .. offsets[i + 1].
struct KeyRanges {
  std::vector<Index> first;     ///< row of the first key, for each query
  std::vector<Index> position;  ///< position of that key in its sentence
  std::vector<Index> length;    ///< keys of the whole sentence
  std::vector<Index> offsets{0};
  /// Queries of different groups look at different keys, so threads can divide the groups. Group g has the
  /// queries groups[g] .. groups[g + 1].
  std::vector<Index> groups{0};

  Index queries() const { return to_index(first.size()); }  ///< the number of queries
  Index pairs() const { return offsets.back(); }            ///< of a query and a key that it looks at
  /// The number of keys of a query.
  Index count(Index query) const { return offsets[to_size(query) + 1] - offsets[to_size(query)]; }
};

/// The keys of a query: the first position in its sentence, and the one after the last.
struct KeyBounds {
  Index begin, end;
};
using BoundsOfQuery = std::function<KeyBounds(const Segment& sentence, Index query, Index keys)>;

/// Each query of a sentence looks at the keys that bounds(sentence, query, keys of the sentence) returns. The
/// segments must cover the queries, in order, without gaps; throws Error otherwise, or for a sentence with
/// queries but without keys.
KeyRanges make_ranges(const Segments& segments, const BoundsOfQuery& bounds);

/// Every query looks at all keys of its sentence. Throws Error like make_ranges.
KeyRanges all_keys(const Segments& segments);

/// Query i of a sentence with n queries and m keys looks at keys 0 .. m-n+i, as under the causal mask of
/// autograd/ops/attention.h. Throws Error like make_ranges, and if there are fewer keys than queries.
KeyRanges keys_up_to_query(const Segments& segments);

}  // namespace regard
