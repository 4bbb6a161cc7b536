#include "apps/translation/model/precisions.h"

#include "autograd/machine/error.h"

namespace regard::translation {

std::string Precisions::missing(Precision precision) const {
  return precision == Precision::float32 ? "" : "this program was built without them";
}

void Precisions::check(Precision precision) const {
  if (const std::string what = missing(precision); !what.empty())
    fail("{} products are not possible: {}", to_string(precision), what);
}

std::shared_ptr<const void> Precisions::for_training(Precision precision) const {
  check(precision);
  return {};
}

void Precisions::convert(nn::Module&, const std::optional<Precision>& precision, const std::string&) const {
  check(precision.value_or(Precision::float32));
}

std::map<std::string, Tensor> Precisions::load(const std::string& path, nn::Metadata& metadata) const {
  return nn::load_safetensors(path, &metadata);
}

const Precisions& float32_only() {
  static const Precisions only;
  return only;
}

}  // namespace regard::translation
