#pragma once

#include <string>

#include "autograd/low_precision/copies.h"
#include "autograd/real.h"

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

inline namespace REGARD_PRECISION {

/// While an Autocast exists, the operations that its thread records compute their products with weights in
/// this precision, forward and backward: linear, linear_relu, conv2d, linear_cross_entropy, and the products
/// of a recurrence that concern all steps at once. What the backward of attention and layer norm keeps is
/// rounded, too. It keeps the rounded copies of the weights until their values change (autograd/version.h).
/// The name is PyTorch's (torch.autocast).
class Autocast {
 public:
  /// Throws Error unless this machine computes such products. int8 is for trained models (nn/quantise.h), and
  /// the double library has float32's place alone, for checks: both throw.
  explicit Autocast(Precision precision);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

  /// That of this thread, or null.
  static Autocast* current();
  Precision precision() const { return precision_; }
  RoundedCopies& copies() { return copies_; }

 private:
  const Precision precision_;
  Autocast* const outer_;
  RoundedCopies copies_;
};

/// The precision of this thread's products.
Precision product_precision();

}  // namespace REGARD_PRECISION
}  // namespace regard
