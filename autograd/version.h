#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace regard {

/// Tells whether the values of a tensor have changed. A tensor, its views and all their handles share one.
/// Optimisers, loading, Tensor::take_values and Tensor::replace_by raise it. A write through Tensor::data()
/// cannot be seen; say it with Tensor::values_changed().
class Version {
 public:
  /// Equal numbers: no change was said or seen between the two calls.
  std::uint64_t number() const;
  void raise() { ++changes_; }
  /// For memory that others write, such as an array of NumPy: from now on, number() compares the values
  /// themselves. Only the first call counts. Two threads must not call it at the same time.
  void watch(const std::shared_ptr<const void>& memory, std::size_t bytes);

 private:
  mutable std::atomic<std::uint64_t> changes_{0}, checksum_{0};
  std::atomic<bool> watching_ = false;
  std::weak_ptr<const void> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace regard
