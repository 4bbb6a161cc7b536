#pragma once

#include <string>

namespace regard {

/// How the operands of a matrix product are rounded. It belongs to the product, not to a tensor: everything
/// between two products stays float32.
enum class Precision {
  float32,   ///< not at all
  bfloat16,  ///< to 8 bits of mantissa with the exponents of float32; the sums are float32
  int8       ///< to whole numbers of 8 bits, with one scale for each row; the sums are int32
};

const char* to_string(Precision precision);

/// Empty if this machine computes products in this precision. Otherwise a sentence that says what is missing,
/// and what to do.
std::string missing_for(Precision precision);

/// Throws Error with that sentence.
void check_available(Precision precision);

}  // namespace regard
