#pragma once

// Precisions of matrix products.

namespace regard {

/// How the operands of a matrix product are rounded. It belongs to the product, not to a tensor: everything
/// between two products stays float32.
enum class Precision {
  float32,   ///< not at all
  bfloat16,  ///< to 8 bits of mantissa with the exponents of float32; the sums are float32
  int8       ///< to whole numbers of 8 bits, with one scale for each row; the sums are int32
};

constexpr const char* to_string(Precision precision) {
  return precision == Precision::int8 ? "int8" : precision == Precision::bfloat16 ? "bfloat16" : "float32";
}

}  // namespace regard
