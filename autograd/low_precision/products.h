#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "autograd/machine/blas.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/real.h"
#include "autograd/precision.h"

// Products in bfloat16 and in 8 bits, as autograd/machine/blas.h has them in float32. The library oneDNN
// computes them (autograd/low_precision/onednn.h). Everything here runs on the calling thread. The parallel
// loops in autograd/low_precision/packed_blocks.cpp call it block by block.
//
// With the variable REGARD_BFLOAT16=emulate, products in bfloat16 round their operands in the same way, but
// OpenBLAS multiplies them in float32. So every processor can show what bfloat16 does to a training.

namespace regard::low_precision {

/// A float32 without the last 16 bits of its mantissa.
enum class bfloat16 : std::uint16_t {};

/// The rows and columns of a matrix in memory, in elements.
struct Strides {
  Index row, column;
  auto operator<=>(const Strides&) const = default;
};

/// B[k, n] of many products C = A B, in the order in which the library reads it fastest.
class PackedMatrix {
 public:
  /// Copies B: bfloat16 for Precision::bfloat16, signed bytes for Precision::int8.
  PackedMatrix(Precision precision, Index k, Index n, const void* b, Strides strides);

  Precision precision() const { return precision_; }
  Index k() const { return k_; }
  Index n() const { return n_; }
  const void* data() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  Precision precision_;
  Index k_, n_;
  std::size_t bytes_;
  Buffer memory_;
};

/// C[m, n] = A[m, k] B (+ C), with sums in float32. The rows of C follow one another without gaps: oneDNN 2.6
/// multiplies a packed matrix in a plain loop if C is a part of a wider one.
void product(Index m, const bfloat16* a, Index a_stride, const PackedMatrix& b, float* c, blas::Store store);

/// C[m, n] = A[m, k] B, with sums in int32, C without gaps. The numbers of A are at most largest_byte().
void product(Index m, const std::uint8_t* a, Index a_stride, const PackedMatrix& b, std::int32_t* c);

/// C[m, n] = A[m, k] B[k, n] (+ C) for operands that are used once.
void product(Index m, Index n, Index k, const bfloat16* a, Strides a_strides, const bfloat16* b,
             Strides b_strides, blas::Matrix<float> c, blas::Store store);

/// The largest unsigned byte that A of an int8 product may have: 255, or 127 on processors without VNNI,
/// whose instruction adds pairs of products in 16 bits and would cut the sum off.
int largest_byte();

/// True if products in bfloat16 are emulated.
bool emulates_bfloat16();

/// The library for bfloat16 or int8 and what it multiplies with, for `regard --version`: "oneDNN 2.6.3,
/// VNNI".
std::string information(Precision precision);

}  // namespace regard::low_precision

namespace regard {

/// Empty if this machine computes products in this precision. Otherwise a sentence that says what is missing,
/// and what to do.
std::string missing_for(Precision precision);

/// Throws Error with that sentence.
void check_available(Precision precision);

}  // namespace regard
