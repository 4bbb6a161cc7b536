#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "autograd/machine/surroundings.h"
#include "autograd/ops/linear_products.h"
#include "autograd/precision.h"
#include "autograd/tensor.h"
#include "autograd/version.h"

namespace regard { inline namespace REGARD_PRECISION {

/// The rounded copies that products have made of tensors, found by tensor and version. They belong to one
/// thread.
class RoundedCopies {
 public:
  enum class Use {
    rows,   ///< x of y = x W^T; operations own the copy, and others use it as long as one of them exists
    weight  ///< W; kept here until the values of W change
  };

  /// The copy of the tensor's present values, made by `make` if there is none.
  template <class Copy, class Make>
  std::shared_ptr<const Copy> find_or_make(const Tensor& tensor, Use use, const Make& make) {
    const std::uint64_t version = tensor.version()->number();
    const Key key{tensor.version(), tensor.data(), tensor.size(), tensor.size(-1), use};
    if (const auto found = copies_.find(key); found != copies_.end() && found->second.version == version)
      if (auto copy = std::static_pointer_cast<const Copy>(found->second.copy.lock())) return copy;
    copies_.erase(key);  // first, so that its memory is free for the new one
    std::shared_ptr<const Copy> copy = make();
    if (copies_.size() >= next_sweep_) sweep();
    copies_[key] = {version, copy, use == Use::rows ? nullptr : copy};
    return copy;
  }

 private:
  struct Key {
    std::weak_ptr<const Version> tensor;  ///< also when the tensor is gone, no other one is taken for it
    const Real* data;
    Index size, columns;
    Use use;

    bool operator<(const Key& other) const {
      if (tensor.owner_before(other.tensor)) return true;
      if (other.tensor.owner_before(tensor)) return false;
      return std::tie(data, size, columns, use) < std::tie(other.data, other.size, other.columns, other.use);
    }
  };
  struct Entry {
    std::uint64_t version = 0;
    std::weak_ptr<const void> copy = {};
    std::shared_ptr<const void> owned = {};
  };

  /// Forgets the tensors and the copies that exist no more.
  void sweep() {
    std::erase_if(copies_, [](const auto& entry) {
      return entry.first.tensor.expired() || entry.second.copy.expired();
    });
    next_sweep_ = 2 * copies_.size() + 64;
  }

  std::map<Key, Entry> copies_;
  std::size_t next_sweep_ = 64;
};

/// While an Autocast exists, the operations that its thread records compute their products with weights in
/// this precision, forward and backward: linear, linear with an activation, conv2d, linear_cross_entropy, and
/// the products of a recurrence that concern all steps at once. It keeps the rounded copies of the weights
/// until their values change (autograd/version.h). The name is PyTorch's (torch.autocast).
class Autocast {
 public:
  /// Throws Error unless this machine computes such products, and for int8, which is for trained models
  /// (nn/low_precision/quantise.h).
  explicit Autocast(Precision precision);
  RoundedCopies& copies() { return copies_; }

 private:
  RoundedCopies copies_;
  const ProductRules rules_;
  const OnThread<const ProductRules> rules_scope_;
  const OnThread<Autocast> scope_;
};

}}  // namespace regard::REGARD_PRECISION
