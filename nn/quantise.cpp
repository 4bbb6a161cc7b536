#include "nn/quantise.h"

#include <algorithm>
#include <memory>

#include "autograd/error.h"
#include "autograd/low_precision/weight.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {

/// A matrix that exists once for all its names, and what reads it.
struct UsedMatrix {
  Tensor tensor;
  LowPrecisionWeight::Uses uses;
  bool read_otherwise = false;
};

class UseCollector : public Visitor {
 public:
  void used(Tensor& tensor, Use use) override {
    auto found = std::ranges::find_if(matrices, [&](const auto& other) { return other.tensor.is(tensor); });
    if (found == matrices.end())
      found = matrices.insert(matrices.end(), {tensor, {.product = false}, tensor.rank() != 2});
    found->uses.product = found->uses.product || use == Use::product;
    found->uses.lookup = found->uses.lookup || use == Use::lookup;
    found->read_otherwise = found->read_otherwise || use == Use::any;
  }
  std::vector<UsedMatrix> matrices;
};

std::vector<UsedMatrix> matrices_of(Module& module) {
  if (sizeof(Real) != sizeof(float)) fail("the double library has no weights in low precision");
  UseCollector collector;
  module.visit(collector);
  std::erase_if(collector.matrices, [](const UsedMatrix& matrix) { return matrix.read_otherwise; });
  return std::move(collector.matrices);
}

QuantisedRows quantised(const Tensor& w) {
  if (w.low_precision()) return w.low_precision()->quantised();
  return quantise(reinterpret_cast<const float*>(w.data()), w.size(0), w.size(1));
}

}  // namespace

void set_precision(Module& module, Precision precision) {
  if (precision == Precision::float32) return;
  check_available(precision);
  for (const auto& [tensor, uses, unused] : matrices_of(module)) {
    const Index out = tensor.size(0), in = tensor.size(1);
    if (out == 0 || in == 0) continue;
    tensor.replace_by(precision == Precision::int8
                          ? std::make_shared<LowPrecisionWeight>(quantised(tensor), out, in, uses)
                          : std::make_shared<LowPrecisionWeight>(
                                reinterpret_cast<const float*>(tensor.data()), out, in, uses));
  }
}

std::vector<NamedParameter> quantised_parameters(Module& module) {
  std::vector<NamedParameter> parameters = module.parameters();
  for (const UsedMatrix& matrix : matrices_of(module)) {
    const auto found = std::ranges::find_if(
        parameters, [&](const NamedParameter& parameter) { return parameter.tensor.is(matrix.tensor); });
    const Tensor& w = found->tensor;
    const LowPrecisionWeight::Uses stored{.product = false, .lookup = true};
    found->tensor =
        Tensor::of(std::make_shared<LowPrecisionWeight>(quantised(w), w.size(0), w.size(1), stored));
  }
  return parameters;
}

bool is_quantised(Module& module) {
  return std::ranges::any_of(module.parameters(), [](const NamedParameter& parameter) {
    return parameter.tensor.low_precision() != nullptr;
  });
}

}}}  // namespace regard::REGARD_PRECISION::nn
