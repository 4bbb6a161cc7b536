#pragma once

#include <string>

#include "autograd/index.h"

namespace regard::blas {

// Matrix products on one thread, row-major, C[m, n] = A B + (add ? C : 0). The suffix tells which operand is
// stored transposed: nn: A[m, k] B[k, n]; nt: A[m, k] B[n, k]^T; tn: A[k, m]^T B[k, n]. `stride` is the
// distance between rows in memory. Parallel loops call these on blocks (kernels/products.h); OpenBLAS itself
// never starts threads here.

/// A matrix in memory: its first element and the distance between its rows.
template <class T>
struct Matrix {
  T* data;
  Index stride;
};

enum class Store { overwrite, add };

void gemm_nn(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
             Store store);
void gemm_nt(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
             Store store);
void gemm_tn(Index m, Index n, Index k, Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
             Store store);
void gemm_nn(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
             Store store);
void gemm_nt(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
             Store store);
void gemm_tn(Index m, Index n, Index k, Matrix<const double> a, Matrix<const double> b, Matrix<double> c,
             Store store);

/// Loads OpenBLAS unless it is loaded already. Programs need not call this. But if loading fails (library not
/// installed), an Error from here is easier to report than an Error from the first product.
void load();

/// The library that was loaded, for `regard --version` and for people who wonder about their speed.
struct Information {
  std::string version;         ///< as the library reports it: "OpenBLAS 0.3.21 …"
  std::string core;            ///< the processor type whose kernels run: "SkylakeX"
  bool openmp = false;         ///< the OpenMP flavour of the library
  bool core_replaced = false;  ///< it was loaded a second time, because it had picked slower kernels
  std::string advice;          ///< empty, or how to get faster kernels than these
};
const Information& information();

}  // namespace regard::blas
