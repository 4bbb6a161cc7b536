#include "autograd/low_precision/autocast.h"

#include "autograd/low_precision/products.h"
#include "autograd/low_precision/rounded_weight.h"
#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION {

Autocast::Autocast(Precision precision)
    : rules_{.weight =
                 [this](const Tensor& weight) {
                   return rounded_products(
                       weight, copies_.find_or_make<RoundedWeight>(weight, RoundedCopies::Use::weight, [&] {
                         return std::make_shared<RoundedWeight>(weight, RoundedWeight::Use::products);
                       }));
                 },
             .save =
                 [](const Tensor& x) {
                   return [saved = rounded(x)](Index begin, Index end, Real* room) {
                     return saved->read(begin, end, room);
                   };
                 }},
      rules_scope_(precision == Precision::bfloat16 ? &rules_ : nullptr),
      scope_(precision == Precision::bfloat16 ? this : nullptr) {
  if (precision == Precision::int8)
    fail("int8 has no gradients; train in float32 or bfloat16, and quantise the trained model");
  if (precision == Precision::bfloat16) check_available(precision);
}

}}  // namespace regard::REGARD_PRECISION
