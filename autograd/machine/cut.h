#pragma once

#include "autograd/machine/real.h"

// How work is cut into blocks for the threads. These functions decide how large a block is. Only a loop over
// whole things, such as sentences or images, does not ask them: each thing is a block. A cut depends on
// shapes, never on the number of threads, so results have the same bits on any number. There are enough
// blocks for many threads: 48 or more of a large product, up to 256 of a loop. But each has some microseconds
// of work.

namespace regard {

/// The indices of a block of a parallel_for over `count` indices. One index is as much work as `numbers`
/// additions to numbers in memory. The block is a multiple of `unit`, or all indices if they are less work
/// than 65,536 additions: too little to share.
Index block_size(Index count, Index numbers, Index unit = 1);

/// A multiplication in a matrix product is as much work as 1/32 of such an addition.
inline constexpr Index multiplications_per_number = 32;

/// The blocks of a product C[m, n] = A[m, k] B[k, n]. C is cut into tiles. If that gives too few blocks, the
/// sums over k are cut into parts, too.
struct ProductCut {
  Index rows, columns;  ///< of C in a tile; fewer at the edges
  Index parts = 1;      ///< of the sums over k
};

/// Cuts a product: halves the sides of the largest tile, but not below the smallest, until there are enough
/// blocks. `largest` also has the most parts.
ProductCut cut_product(Index m, Index n, Index k, const ProductCut& largest, const ProductCut& smallest);

}  // namespace regard
