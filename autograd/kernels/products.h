#pragma once

#include <functional>

#include "autograd/kernels/kernel.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// Called with each block of C when it is finished, while it is still in the cache.
using BlockDone = std::function<void(const MatrixBlock& block)>;

/// C[m, n] = A B (+ C), as blas::gemm but on all threads. The caller counts the operations
/// (autograd/machine/profile.h).
void product(blas::Transposed transposed, Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c,
             blas::Store store, const BlockDone& done = nullptr);

/// A part of a product: the block of C, for k from `first` on. `to` is where the block goes.
struct TileProduct {
  MatrixBlock block;
  Index first, depth;
  Matrix to;
  blas::Store store;
  int worker;  ///< as in parallel_for
};

/// Calls multiply(part) for all parts of a product, on all threads, and done(block) for each block of C. If
/// the sums over k are cut, each part goes to memory of its own, and the parts are added in their order.
/// Parts begin at multiples of 64.
void product_in_tiles(Index m, Index n, Index k, const ProductCut& cut, Matrix c, blas::Store store,
                      const std::function<void(const TileProduct& part)>& multiply, const BlockDone& done);

}}}  // namespace regard::REGARD_PRECISION::kernels
