#include "nn/low_precision/quantise.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "autograd/low_precision/products.h"
#include "autograd/low_precision/quantised_weight.h"
#include "autograd/low_precision/rounded_weight.h"
#include "autograd/machine/error.h"
#include "nn/layers.h"
#include "nn/multi_head_attention.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {

/// A matrix that exists once for all its names, and what reads it.
struct UsedMatrix {
  Tensor tensor;
  QuantisedWeight::Uses uses;
  bool read_otherwise = false;
};

/// Finds them by the layers that have them. A parameter of any other layer is read otherwise.
class UseCollector : public Visitor {
 public:
  void module(const std::string& path, Module& inner) override {
    const std::string begin = path.empty() ? "" : path + ".";
    if (dynamic_cast<Linear*>(&inner) != nullptr) uses_[begin + "weight"].product = true;
    if (dynamic_cast<Embedding*>(&inner) != nullptr) uses_[begin + "weight"].look_up = true;
    if (dynamic_cast<MultiHeadAttention*>(&inner) != nullptr)
      for (const char* const name : {"in_proj_weight", "relative_keys"}) uses_[begin + name].product = true;
  }
  void parameter(const std::string& name, Tensor& tensor) override {
    auto found = std::ranges::find_if(matrices, [&](const auto& other) { return other.tensor.is(tensor); });
    if (found == matrices.end()) found = matrices.insert(matrices.end(), {tensor, {}, tensor.rank() != 2});
    const auto use = uses_.find(name);
    if (use == uses_.end()) found->read_otherwise = true;
    if (use == uses_.end()) return;
    found->uses.product = found->uses.product || use->second.product;
    found->uses.look_up = found->uses.look_up || use->second.look_up;
  }
  std::vector<UsedMatrix> matrices;

 private:
  std::map<std::string, QuantisedWeight::Uses> uses_;
};

std::vector<UsedMatrix> matrices_of(Module& module) {
  UseCollector collector;
  collector.module("", module);
  module.visit(collector);
  std::erase_if(collector.matrices, [](const UsedMatrix& matrix) { return matrix.read_otherwise; });
  return std::move(collector.matrices);
}

QuantisedRows quantised(const Tensor& w) {
  if (const auto known = std::dynamic_pointer_cast<const QuantisedWeight>(MatrixForm::of(w)))
    return known->numbers();
  return quantise(w);
}

/// The scales of the rows of a tensor in I8 have its name and this suffix.
constexpr const char* scales_suffix = "_scale";
constexpr const char* quantised_type = "I8";

Buffer copy_of(const std::string& bytes) {
  Buffer memory = allocate(bytes.size());
  std::memcpy(memory.get(), bytes.data(), bytes.size());
  return memory;
}

Tensor read_quantised(const SafetensorsFile& file, const std::string& name) {
  const Shape& shape = file.shapes().at(name);
  const std::string scales = name + scales_suffix;
  if (shape.rank() != 2 || !file.has(scales) || file.shapes().at(scales) != Shape{shape[0]} ||
      file.type(scales) != "F32")
    fail("{}: tensor {} of shape {} is I8 and needs the scales of its rows in a tensor {} of type F32",
         file.path(), name, to_string(shape), scales);
  const std::string bytes = file.bytes(name);
  if (bytes.size() != to_size(shape.size()))
    fail("{}: the place of tensor {} does not fit its shape {}", file.path(), name, to_string(shape));
  const QuantisedRows rows{shape[0], shape[1], copy_of(bytes), copy_of(file.bytes(scales))};
  for (const float scale : std::span(rows.scale(), to_size(rows.rows)))
    if (!(scale >= 0 && scale <= std::numeric_limits<float>::max()))
      fail("{}: tensor {} has the scale {}; the file is damaged", file.path(), scales, scale);
  return MatrixForm::tensor(std::make_shared<QuantisedWeight>(rows, QuantisedWeight::Uses{}));
}

}  // namespace

void set_precision(Module& module, Precision precision) {
  if (precision == Precision::float32) return;
  check_available(precision);
  for (const auto& [tensor, uses, unused] : matrices_of(module)) {
    if (tensor.size() == 0) continue;
    if (precision == Precision::int8)
      MatrixForm::replace(tensor, std::make_shared<QuantisedWeight>(quantised(tensor), uses));
    else
      MatrixForm::replace(tensor, std::make_shared<RoundedWeight>(
                                      tensor, uses.look_up ? RoundedWeight::Use::products_and_look_up
                                                           : RoundedWeight::Use::products));
  }
}

bool is_quantised(Module& module) {
  return std::ranges::any_of(module.parameters(), [](const NamedParameter& parameter) {
    return std::dynamic_pointer_cast<const QuantisedWeight>(MatrixForm::of(parameter.tensor)) != nullptr;
  });
}

void save_quantised(const std::string& path, Module& module, const Metadata& metadata) {
  const std::vector<UsedMatrix> matrices = matrices_of(module);
  std::vector<StoredTensor> first, last;  // the scales before the bytes: numbers of four bytes stay aligned
  std::vector<QuantisedRows> all;         // owns the numbers
  for (const NamedParameter& parameter : module.parameters()) {
    const auto& [name, tensor] = parameter;
    if (std::ranges::none_of(matrices, [&](const UsedMatrix& m) { return m.tensor.is(parameter.tensor); })) {
      first.push_back(stored(parameter));
      continue;
    }
    const QuantisedRows& w = all.emplace_back(quantised(tensor));
    first.push_back({name + scales_suffix,
                     "F32",
                     Shape{w.rows},
                     {reinterpret_cast<const char*>(w.scale()), to_size(w.rows) * sizeof(float)}});
    last.push_back({name,
                    quantised_type,
                    tensor.shape(),
                    {reinterpret_cast<const char*>(w.q()), to_size(tensor.size())}});
  }
  first.insert(first.end(), last.begin(), last.end());
  save_stored_tensors(path, first, metadata);
}

std::map<std::string, Tensor> load_quantised(const std::string& path, Metadata* metadata) {
  const SafetensorsFile file(path);
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, shape] : file.shapes())
    if (file.type(name) == quantised_type) tensors.emplace(name, read_quantised(file, name));
  for (const auto& [name, shape] : file.shapes()) {
    const bool is_scales =
        name.ends_with(scales_suffix) && file.has(name.substr(0, name.size() - std::strlen(scales_suffix))) &&
        file.type(name.substr(0, name.size() - std::strlen(scales_suffix))) == quantised_type;
    if (file.type(name) != quantised_type && !is_scales) tensors.emplace(name, file.read(name));
  }
  if (metadata != nullptr) *metadata = file.metadata();
  return tensors;
}

}}}  // namespace regard::REGARD_PRECISION::nn
