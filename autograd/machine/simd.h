#pragma once

// How a program uses its processor: instruction sets.

namespace regard {

/// Instruction sets that kernels are compiled for. baseline runs anywhere.
enum class Simd { baseline, avx2, avx512 };

/// The best instruction set that this processor and operating system offer.
Simd processor_simd();

/// The instruction set in use: the processor's best, or the one that the environment variable REGARD_SIMD
/// names (baseline, avx2, avx512). Throws Error for another value, and for one that the processor does not
/// have.
Simd simd();

const char* to_string(Simd simd);

}  // namespace regard
