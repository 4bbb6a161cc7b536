#pragma once

#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/real.h"

// The extents of tensors.

namespace regard {

/// The extents of a tensor, outermost first. A scalar has rank 0 and size 1.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<Index> extents) : extents_(extents) {}
  explicit Shape(std::vector<Index> extents) : extents_(std::move(extents)) {}

  Index rank() const { return to_index(extents_.size()); }  ///< the number of axes
  /// Number of elements: the product of the extents.
  Index size() const;
  /// Extent of an axis; negative axes count from the end. Throws Error when there is no such axis.
  Index operator[](Index axis) const { return extents_[to_size(wrap(axis))]; }
  /// The axis as a number from 0. Throws Error when there is no such axis.
  Index wrap(Index axis) const;
  /// Number of elements from `axis` on (`size_from(rank())` is 1) and before it (`size_before(0)` is 1).
  Index size_from(Index axis) const;
  Index size_before(Index axis) const;  ///< see size_from()

  const std::vector<Index>& extents() const { return extents_; }  ///< as a vector, outermost first
  bool operator==(const Shape&) const = default;

 private:
  std::vector<Index> extents_;
};

/// "[2, 3]"
std::string to_string(const Shape& shape);
std::ostream& operator<<(std::ostream& out, const Shape& shape);  ///< prints to_string(shape)

/// The shape of an elementwise result: trailing axes are matched, an extent of 1 is repeated.
/// Throws Error naming `op` and both shapes when they do not match.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

}  // namespace regard
