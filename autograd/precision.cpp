#include "autograd/precision.h"

#include <atomic>

#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {
constinit thread_local Precision precision_of_thread = Precision::float32;
constinit thread_local std::uint64_t number_of_thread = 0;
std::atomic<std::uint64_t> autocasts{0};
}  // namespace

Autocast::Autocast(Precision precision)
    : outer_precision_(precision_of_thread), outer_number_(number_of_thread) {
  if (precision == Precision::int8)
    fail("int8 has no gradients; train in float32 or bfloat16, and quantise the trained model");
  if (sizeof(Real) != sizeof(float) && precision != Precision::float32)
    fail("the double library has no {} products; link the float library", to_string(precision));
  check_available(precision);
  precision_of_thread = precision;
  number_of_thread = ++autocasts;
}

Autocast::~Autocast() {
  precision_of_thread = outer_precision_;
  number_of_thread = outer_number_;
}

Precision product_precision() { return precision_of_thread; }
std::uint64_t autocast_number() { return number_of_thread; }

}}  // namespace regard::REGARD_PRECISION
