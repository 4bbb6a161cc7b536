#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "autograd/precision.h"
#include "autograd/tensor.h"
#include "nn/module.h"
#include "nn/safetensors.h"

namespace regard::translation {

/// The precisions in which this program computes products with weights: here float32 alone. A room may derive
/// from it. It names PRECISIONS name in its CMakeLists.txt, and has const Precisions& name() in
/// name_precisions.cpp.
class Precisions {
 public:
  virtual ~Precisions() = default;
  /// Empty if there are products in this precision. Otherwise what is missing.
  virtual std::string missing(Precision precision) const;
  /// Throws Error if something is missing.
  virtual void check(Precision precision) const;
  /// What computes these products, for `regard --version`.
  virtual std::string information(Precision /*precision*/) const { return {}; }
  /// While the result exists, the operations that its thread records have products in this precision, which
  /// has gradients. Throws Error as check does.
  virtual std::shared_ptr<const void> for_training(Precision precision) const;
  /// Gives a trained model products in this precision; unset: that of its weights. Throws Error as check
  /// does, and if the weights, which are those of `file`, cannot have it.
  virtual void convert(nn::Module& model, const std::optional<Precision>& precision,
                       const std::string& file) const;
  /// load_safetensors, which may also read weights in another precision.
  virtual std::map<std::string, Tensor> load(const std::string& path, nn::Metadata& metadata) const;
};

/// Those that are built.
const Precisions& precisions();

}  // namespace regard::translation
