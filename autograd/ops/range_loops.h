#pragma once

#include <algorithm>

#include "autograd/graph.h"
#include "autograd/kernels/ranges.h"
#include "autograd/kernels/segments.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"

// What the operations on pairs of a query and a key share. For their source files only.

namespace regard { inline namespace REGARD_PRECISION {

/// Throws Error unless there is a number for each pair.
inline void check_pairs(const Operation& op, const char* what, const Tensor& pairs, const KeyRanges& ranges) {
  if (pairs.shape() != Shape{ranges.pairs()})
    op.fail("{} of shape {} do not fit {} pairs of a query and a key: expected [{}]", what,
            to_string(pairs.shape()), ranges.pairs(), ranges.pairs());
}

/// Throws Error unless `query` has a row for each query.
void check_queries(const Operation& op, const char* what, const Tensor& query, const KeyRanges& ranges);

/// Throws Error unless `key` has all rows that the ranges name. If it needs a gradient, which the threads
/// divide by groups, each sentence must have keys of its own.
void check_keys(const Operation& op, const char* what, const Tensor& key, const KeyRanges& ranges);

/// Calls body(kernels::Ranges) for all queries, on all threads. A group of queries stays on one thread, so
/// threads never write to the same key. `width` is the work of one pair.
template <class Body>
void for_each_group(const KeyRanges& ranges, Index width, const Body& body) {
  const Index groups = to_index(ranges.groups.size()) - 1;
  const Index work = ranges.pairs() * width / std::max<Index>(groups, 1);
  parallel_for(groups, block_size(groups, work), [&](Index begin, Index end) {
    body(kernels::Ranges{ranges.first.data(), ranges.offsets.data(), ranges.groups[to_size(begin)],
                         ranges.groups[to_size(end)]});
  });
}

}}  // namespace regard::REGARD_PRECISION
