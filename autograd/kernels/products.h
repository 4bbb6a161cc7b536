#pragma once

#include <functional>

#include "autograd/kernels/kernel.h"
#include "autograd/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// True if the blocks of a product are whole rows of C; otherwise they are whole columns.
bool cut_by_rows(Index m, Index n);

/// Rows (or columns) that one thread computes at a time, for a result that has `extent` of them and a product
/// of that many multiplications. It depends on the shape alone.
Index product_block(Index extent, Index multiplications);

/// Called with each block of C when it is finished, while it is still in the cache.
using BlockDone = std::function<void(Index row, Index rows, Index column, Index columns)>;

/// C[m, n] = A B (+ C), as blas::gemm but on all threads, cut along the longer side of C.
void product(blas::Transposed transposed, Index m, Index n, Index k, ConstMatrix a, ConstMatrix b, Matrix c,
             blas::Store store, const BlockDone& done = nullptr);

}}}  // namespace regard::REGARD_PRECISION::kernels
