#pragma once

#include <cstdint>
#include <functional>

#include "autograd/blas.h"
#include "autograd/real.h"

namespace regard::inline REGARD_PRECISION::kernels {

using Matrix = blas::Matrix<Real>;
using ConstMatrix = blas::Matrix<const Real>;

/// Rows (or columns) that one thread computes at a time, for a result that has `extent` of them and a product
/// of m n k multiplications: slabs of up to 850 (larger ones gain 2 to 3 %), an even number of them, cut by
/// shape alone so that the bits of the result do not depend on the number of threads. A product too small
/// to wake a thread for stays whole.
std::int64_t product_block(std::int64_t extent, std::int64_t multiplications);

/// Whether a product's blocks are whole rows of C, or else whole columns.
bool cut_by_rows(std::int64_t m, std::int64_t n);

/// Called with each block of C that is finished, and still warm in the cache. Must not throw.
using BlockDone =
    std::function<void(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns)>;

/// C[m, n] = A B (+ C), as blas::gemm_* but on all threads, cut along the longer side of C.
void product_nn(std::int64_t m, std::int64_t n, std::int64_t k, ConstMatrix a, ConstMatrix b, Matrix c,
                blas::Store store);
void product_nt(std::int64_t m, std::int64_t n, std::int64_t k, ConstMatrix a, ConstMatrix b, Matrix c,
                blas::Store store, const BlockDone& done = nullptr);
void product_tn(std::int64_t m, std::int64_t n, std::int64_t k, ConstMatrix a, ConstMatrix b, Matrix c,
                blas::Store store);

inline blas::Store store(GradSlot slot) { return slot.add ? blas::Store::add : blas::Store::overwrite; }

}  // namespace regard::inline REGARD_PRECISION::kernels
