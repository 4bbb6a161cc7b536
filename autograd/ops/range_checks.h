#pragma once

#include <algorithm>

#include "autograd/kernels/ranges.h"
#include "autograd/operation.h"
#include "autograd/parallel.h"
#include "autograd/segments.h"

// What the operations over pairs of queries and keys share. For their source files only.

namespace regard { inline namespace REGARD_PRECISION { namespace ranges_detail {

/// Throws Error unless there is a number for each pair.
inline void check_pairs(const Operation& op, const char* what, const Tensor& pairs, const KeyRanges& ranges) {
  if (pairs.shape() != Shape{ranges.pairs()})
    op.fail("{} of shape {} do not fit {} pairs of a query and a key: expected [{}]", what,
            to_string(pairs.shape()), ranges.pairs(), ranges.pairs());
}

/// Throws Error unless `query` has a row for each query.
inline void check_queries(const Operation& op, const char* what, const Tensor& query,
                          const KeyRanges& ranges) {
  if (query.rank() != 2 || query.size(0) != ranges.queries())
    op.fail("{} of shape {} does not fit {} queries: expected a row for each", what, to_string(query.shape()),
            ranges.queries());
}

/// Throws Error unless `key` has all rows that the ranges name.
inline void check_keys(const Operation& op, const char* what, const Tensor& key, const KeyRanges& ranges) {
  Index rows = 0;
  for (Index i = 0; i < ranges.queries(); ++i)
    rows = std::max(rows, ranges.first[to_size(i)] + ranges.count(i));
  if (key.rank() != 2 || key.size(0) < rows)
    op.fail("{} of shape {} does not fit ranges that need {} rows", what, to_string(key.shape()), rows);
}

/// Calls body(kernels::Ranges) for all queries, on all threads. A group of queries stays on one thread, so
/// threads never write to the same key. `width` is the work of one pair.
template <class Body>
void for_each_group(const KeyRanges& ranges, Index width, const Body& body) {
  constexpr Index work_per_block = 32768;  // about 10 microseconds
  const Index groups = to_index(ranges.groups.size()) - 1;
  const Index work = std::max<Index>(ranges.pairs() * width / std::max<Index>(groups, 1), 1);
  parallel_for(groups, std::max<Index>(work_per_block / work, 1), [&](Index begin, Index end) {
    body(kernels::Ranges{ranges.first.data(), ranges.offsets.data(), ranges.groups[to_size(begin)],
                         ranges.groups[to_size(end)]});
  });
}

}}}  // namespace regard::REGARD_PRECISION::ranges_detail
