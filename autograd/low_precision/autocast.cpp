#include "autograd/low_precision/autocast.h"

#include "autograd/low_precision/rounded_weight.h"
#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {
constinit thread_local Autocast* autocast_of_thread = nullptr;
}  // namespace

Autocast::Autocast(Precision precision) : outer_rules_(product_rules), outer_(autocast_of_thread) {
  if (precision == Precision::int8)
    fail("int8 has no gradients; train in float32 or bfloat16, and quantise the trained model");
  if (precision == Precision::bfloat16) check_available(precision);
  product_rules = precision == Precision::bfloat16 ? this : nullptr;
  autocast_of_thread = this;
}

Autocast::~Autocast() {
  product_rules = outer_rules_;
  autocast_of_thread = outer_;
}

std::shared_ptr<const LinearWeight> Autocast::weight(const Tensor& weight) {
  return std::make_shared<CopiedWeight>(
      weight, copies_.find_or_make<RoundedWeight>(weight, RoundedCopies::Use::weight, [&] {
        return std::make_shared<RoundedWeight>(weight, RoundedWeight::Use::products);
      }));
}

std::shared_ptr<const SavedValues> Autocast::save(const Tensor& x) { return rounded(x); }

Autocast* Autocast::current() { return autocast_of_thread; }

}}  // namespace regard::REGARD_PRECISION
