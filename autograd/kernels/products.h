#pragma once

#include <cstdint>
#include <functional>

#include "autograd/kernels/matrix.h"

namespace regard::inline REGARD_PRECISION::kernels {

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

}  // namespace regard::inline REGARD_PRECISION::kernels
