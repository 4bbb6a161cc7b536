#pragma once

namespace regard {

/// Instruction sets that kernels are compiled for. baseline runs anywhere.
enum class Simd { baseline, avx2, avx512 };

/// The best that this processor and operating system offer.
Simd processor_simd();

/// The one in use: the processor's best, or what the environment variable REGARD_SIMD names (baseline, avx2,
/// avx512) if the processor has it. Throws Error for another value, or one that the processor lacks.
Simd simd();

const char* to_string(Simd simd);

}  // namespace regard
