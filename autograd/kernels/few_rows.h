#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// C[rows, columns] = A B^T (+ C) on the calling thread, for A[rows, depth] with few rows and B[columns,
/// depth]: a linear layer on the tokens of one step of a search, with its weight as it lies in memory. Each
/// number of B is read once, and serves all rows of A. Compilers may round a row alone differently from the
/// same row among others, so the bits are the same only for the same cut, which depends on the shape.
REGARD_KERNEL(few_rows_product, Index rows, Index columns, Index depth, ConstMatrix a, ConstMatrix b,
              Matrix c, blas::Store how);

}}}  // namespace regard::REGARD_PRECISION::kernels
