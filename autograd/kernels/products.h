#pragma once

#include <cstdint>

#include "autograd/blas.h"
#include "autograd/real.h"

namespace regard::inline REGARD_PRECISION::kernels {

using Matrix = blas::Matrix<Real>;
using ConstMatrix = blas::Matrix<const Real>;

/// Rows of a result that one thread computes at a time, for a product with `rows` rows: slabs of up to 850
/// rows (larger ones gain 2 to 3 %), an even number of them, cut by shape alone so that the bits of the
/// result do not depend on the number of threads. Products with few rows are cut by columns instead.
std::int64_t product_block(std::int64_t extent);

/// C[m, n] = A B (+ C), as blas::gemm_* but on all threads.
void product_nn(std::int64_t m, std::int64_t n, std::int64_t k, ConstMatrix a, ConstMatrix b, Matrix c,
                blas::Store store);
void product_nt(std::int64_t m, std::int64_t n, std::int64_t k, ConstMatrix a, ConstMatrix b, Matrix c,
                blas::Store store);
void product_tn(std::int64_t m, std::int64_t n, std::int64_t k, ConstMatrix a, ConstMatrix b, Matrix c,
                blas::Store store);

inline blas::Store store(GradSlot slot) { return slot.add ? blas::Store::add : blas::Store::overwrite; }

}  // namespace regard::inline REGARD_PRECISION::kernels
