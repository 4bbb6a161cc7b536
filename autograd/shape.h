#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace regard {

/// The extents of a tensor, outermost first. A scalar has rank 0 and size 1.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> extents) : extents_(extents) {}
  explicit Shape(std::vector<std::int64_t> extents) : extents_(std::move(extents)) {}

  std::int64_t rank() const { return static_cast<std::int64_t>(extents_.size()); }
  /// Number of elements: the product of the extents.
  std::int64_t size() const;
  /// Extent of an axis; negative axes count from the end. Throws Error when there is no such axis.
  std::int64_t operator[](std::int64_t axis) const { return extents_[static_cast<std::size_t>(wrap(axis))]; }
  /// The axis as a number from 0. Throws Error when there is no such axis.
  std::int64_t wrap(std::int64_t axis) const;
  /// Number of elements from `axis` on (`size_from(rank())` is 1) and before it (`size_before(0)` is 1).
  std::int64_t size_from(std::int64_t axis) const;
  std::int64_t size_before(std::int64_t axis) const;

  const std::vector<std::int64_t>& extents() const { return extents_; }
  bool operator==(const Shape&) const = default;

 private:
  std::vector<std::int64_t> extents_;
};

/// "[2, 3]"
std::string to_string(const Shape& shape);

/// The shape of an elementwise result: trailing axes are matched, an extent of 1 is repeated.
/// Throws Error naming `op` and both shapes when they do not match.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

}  // namespace regard
