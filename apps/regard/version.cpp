#include "apps/regard/version.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "apps/regard/launcher.h"
#include "apps/translation/files/version.h"
#include "apps/translation/model/precisions.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/parallel.h"
#include "autograd/tensor.h"

namespace regard::program {

namespace {

/// The column of README's table of speeds that shows what to expect here.
std::string column_of_speeds() {
  switch (simd()) {
    case Simd::baseline:
      return "none: this processor has no AVX2, and is slower";
    case Simd::avx2:
      return "AVX2";
    case Simd::avx512:
      break;
  }
  return translation::precisions().missing(Precision::bfloat16).empty() ? "AVX-512 with BF16 and VNNI"
                                                                        : "AVX-512";
}

}  // namespace

std::string version(const Launcher& launcher) {
  const blas::Information& blas = blas::information();
  std::string text = fmt::format("regard {}\n", translation::exact_version());
  text += fmt::format("OpenBLAS     {}\n", blas.version);
  text += fmt::format("core         {}{}\n", blas.core,
                      blas.core_replaced ? " (chosen by regard; OpenBLAS had chosen slower kernels)" : "");
  text += fmt::format("instructions {}\n", to_string(simd()));
  const translation::Precisions& precisions = translation::precisions();
  for (const Precision precision : {Precision::bfloat16, Precision::int8}) {
    const std::string missing = precisions.missing(precision);
    text += fmt::format("{:<12} {}\n", to_string(precision),
                        missing.empty() ? precisions.information(precision) : "no: " + missing);
  }
  text += launcher.version();
  text += fmt::format("threads      {}\n", threads());
  text += fmt::format("speed        {:.0f} GFLOP/s (one product of 1024 x 1024 x 1024)\n", product_speed());
  text += fmt::format("README       speeds: column {}\n", column_of_speeds());
  return text;
}

double product_speed() {
  using Clock = std::chrono::steady_clock;
  constexpr Index n = 1024;
  const Tensor a = Tensor::full({n, n}, 1), b = Tensor::full({n, n}, 1), c = Tensor::empty({n, n});
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point begin = Clock::now();
    parallel_for(n, (n + threads() - 1) / threads(), [&](Index first, Index last) {
      using Input = blas::Matrix<const Real>;
      blas::gemm(blas::Transposed::none, last - first, n, n, Input{a.data() + first * n, n},
                 Input{b.data(), n}, blas::Matrix<Real>{c.data() + first * n, n}, blas::Store::overwrite);
    });
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return 2e-9 * n * n * n / best;
}

}  // namespace regard::program
