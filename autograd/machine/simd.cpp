#include "autograd/machine/simd.h"

#include <cstdlib>
#include <string_view>

#include "autograd/machine/error.h"

namespace regard {

Simd processor_simd() {
#if defined(__x86_64__)
  // The features of x86-64-v4 and x86-64-v3 that decide (System V ABI, table 3.1).
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Simd::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return Simd::avx2;
#endif
  return Simd::baseline;
}

const char* to_string(Simd simd) {
  return simd == Simd::avx512 ? "avx512" : simd == Simd::avx2 ? "avx2" : "baseline";
}

namespace {
Simd choose() {
  const Simd best = processor_simd();
  const char* const wish = std::getenv("REGARD_SIMD");
  if (wish == nullptr) return best;
  for (const Simd candidate : {Simd::baseline, Simd::avx2, Simd::avx512}) {
    if (std::string_view(wish) != to_string(candidate)) continue;
    if (candidate > best)
      fail("REGARD_SIMD={}: this processor has no more than {}; unset the variable", wish, to_string(best));
    return candidate;
  }
  fail("REGARD_SIMD={}: give baseline, avx2 or avx512, or unset the variable", wish);
}
}  // namespace

Simd simd() {
  static const Simd chosen = choose();
  return chosen;
}

}  // namespace regard
