#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

namespace regard {

/// Tells whether the values of a tensor have changed. A tensor, its views and all their handles share one.
/// Optimisers, loading, take_values and MatrixForm::replace raise it. A write through Tensor::data() cannot
/// be seen; say it with Tensor::values_changed(). Operations note the number of each input (Node::seen),
/// backward() compares it, and an Autocast rounds a weight again when it has another one.
class Version {
 public:
  /// Equal numbers: no change was said or seen between the two calls.
  std::uint64_t number() const {
    if (watched_ && changed_()) ++changes_;
    return changes_;
  }
  void raise() { ++changes_; }

  /// For memory that others write, such as an array of NumPy: from now on, number() asks `changed`, which
  /// tells whether it finds other values than the time before. Several threads may ask at the same time. Call
  /// watch() once, and not while another thread uses the version.
  void watch(std::function<bool()> changed) {
    changed_ = std::move(changed);
    watched_ = true;
  }
  bool watched() const { return watched_; }

 private:
  mutable std::atomic<std::uint64_t> changes_{0};
  std::atomic<bool> watched_ = false;
  std::function<bool()> changed_;
};

}  // namespace regard
