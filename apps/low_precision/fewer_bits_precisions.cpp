#include "apps/translation/model/precisions.h"
#include "autograd/low_precision/autocast.h"
#include "autograd/low_precision/products.h"
#include "autograd/machine/error.h"
#include "nn/low_precision/quantise.h"

namespace regard::translation {

namespace {

class FewerBits : public Precisions {
  std::string missing(Precision precision) const override { return missing_for(precision); }
  void check(Precision precision) const override { check_available(precision); }
  std::string information(Precision precision) const override {
    return low_precision::information(precision);
  }

  std::shared_ptr<const void> for_training(Precision precision) const override {
    return std::make_shared<Autocast>(precision);
  }

  void convert(nn::Module& model, const std::optional<Precision>& precision,
               const std::string& file) const override {
    const bool has_bytes = nn::is_quantised(model);
    const Precision its = precision.value_or(has_bytes ? Precision::int8 : Precision::float32);
    if (has_bytes && its != Precision::int8)
      fail("{} has weights in int8, which cannot become {} again; take the model that it was converted from",
           file, to_string(its));
    nn::set_precision(model, its);
  }

  std::map<std::string, Tensor> load(const std::string& path, nn::Metadata& metadata) const override {
    return nn::load_quantised(path, &metadata);
  }
};

}  // namespace

const Precisions& fewer_bits() {
  static const FewerBits of_this_room;
  return of_this_room;
}

}  // namespace regard::translation
