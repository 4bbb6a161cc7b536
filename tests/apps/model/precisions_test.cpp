// What a program says that has products in float32 alone.
#include "apps/translation/model/precisions.h"

#include "nn/layers.h"
#include "tests/apps/support.h"

using namespace regard::translation;
using regard::Precision;

TEST_CASE("without a room that has fewer bits, products are in float32 alone", "[model]") {
  const Precisions only;
  regard::nn::Embedding layer(regard::Tensor::zeros({3, 2}));
  CHECK(only.missing(Precision::float32).empty());
  only.check(Precision::float32);
  only.convert(layer, {}, "weights");
  CHECK(only.for_training(Precision::float32) == nullptr);
  const std::string refused = "bfloat16 products are not possible: this program was built without them";
  CHECK_ERROR(only.check(Precision::bfloat16), refused);
  CHECK_ERROR(only.for_training(Precision::bfloat16), refused);
  CHECK_ERROR(only.convert(layer, Precision::bfloat16, "weights"), refused);
  CHECK_ERROR(only.check(Precision::int8), "int8 products are not possible");
}
