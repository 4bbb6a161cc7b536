#include "autograd/precision.h"

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {
constinit thread_local Autocast* autocast_of_thread = nullptr;
}  // namespace

Autocast::Autocast(Precision precision) : precision_(precision), outer_(autocast_of_thread) {
  if (precision == Precision::int8)
    fail("int8 has no gradients; train in float32 or bfloat16, and quantise the trained model");
  if (sizeof(Real) != sizeof(float) && precision != Precision::float32)
    fail("the double library has no {} products; link the float library", to_string(precision));
  check_available(precision);
  autocast_of_thread = this;
}

Autocast::~Autocast() { autocast_of_thread = outer_; }

Autocast* Autocast::current() { return autocast_of_thread; }

Precision product_precision() {
  const Autocast* const autocast = Autocast::current();
  return autocast != nullptr ? autocast->precision() : Precision::float32;
}

}}  // namespace regard::REGARD_PRECISION
