#include "apps/regard/version.h"

#include <fmt/format.h>

#include "apps/bench/floor.h"
#include "apps/translation/files/version.h"
#include "apps/translation/processes/launcher.h"
#include "autograd/blas.h"
#include "autograd/parallel.h"

namespace regard::program {

std::string version() {
  const blas::Information& blas = blas::information();
  std::string text = fmt::format("regard {}\n", translation::exact_version());
  text += fmt::format("OpenBLAS     {}\n", blas.version);
  text += fmt::format("core         {}{}\n", blas.core,
                      blas.core_replaced ? " (chosen by regard; OpenBLAS had chosen slower kernels)" : "");
  text += fmt::format("instructions {}\n", to_string(simd()));
  text += fmt::format("MPI          {}\n", translation::mpi_version());
  text += fmt::format("threads      {}\n", threads());
  text += fmt::format("speed        {:.0f} GFLOP/s (one product of 1024 x 1024 x 1024)\n",
                      bench::product_speed());
  return text;
}

}  // namespace regard::program
