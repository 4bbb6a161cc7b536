#pragma once

#include <string>

#include "autograd/machine/real.h"

namespace regard::blas {

/// A matrix in memory, row by row: its first element and the distance between its rows.
template <class T>
struct Matrix {
  T* data;
  Index stride;
};

enum class Store { overwrite, add };

/// The operand of a product that is stored transposed.
enum class Transposed {
  none,  ///< A[m, k] B[k, n]
  a,     ///< A[k, m]^T B[k, n]
  b      ///< A[m, k] B[n, k]^T
};

/// C[m, n] = A B (+ C), in float or double, on the calling thread. Parallel loops call this on blocks
/// (kernels/products.h); OpenBLAS itself never starts threads here.
template <class T>
void gemm(Transposed transposed, Index m, Index n, Index k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
          Store store);

/// True if gemm has fast kernels that read B[n, k]^T in place, for results of up to 1,024 numbers and up to a
/// million multiplications: OpenBLAS from AVX-512 on. Otherwise our own kernels/few_rows.h is faster.
bool reads_in_place();

/// Loads OpenBLAS unless it is loaded already. Programs need not call this. But if loading fails (library not
/// installed), an Error from here is easier to report than an Error from the first product.
void load();

/// The library that was loaded, for `regard --version` and for people who wonder about their speed.
struct Information {
  std::string version;         ///< as the library reports it: "OpenBLAS 0.3.21 …"
  std::string core;            ///< the processor type whose kernels run: "SkylakeX"
  bool openmp = false;         ///< the OpenMP flavour of the library
  bool core_replaced = false;  ///< it was loaded a second time, because it had picked slower kernels
  std::string advice = {};     ///< empty, or how to get faster kernels than these
};
const Information& information();

}  // namespace regard::blas
