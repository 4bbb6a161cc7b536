// Prints which OpenBLAS was loaded and how, after two products. openblas_test.cpp runs it.
#include <cstdio>
#include <cstdlib>

#include "autograd/machine/blas.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/real.h"

int main() {
  try {
    regard::parallel_for(2, 1,
                         [](regard::Index, regard::Index) { regard::simd(); });  // as a kernel in a loop
    const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    double c[] = {0, 0, 0, 0};
    for (int i = 0; i < 2; ++i)
      regard::blas::gemm<double>(regard::blas::Transposed::none, 2, 2, 2, {a, 2}, {b, 2}, {c, 2},
                                 regard::blas::Store::add);
    const regard::blas::Information& information = regard::blas::information();
    const char* const variable = std::getenv("OPENBLAS_CORETYPE");
    std::printf("version=%s\ncore=%s\nreplaced=%d\nvariable=%s\nproduct=%g\n", information.version.c_str(),
                information.core.c_str(), information.core_replaced ? 1 : 0,
                variable != nullptr ? variable : "unset", c[3]);
  } catch (const regard::Error& error) {
    std::printf("error=%s\n", error.what());
  }
}
