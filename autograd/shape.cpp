#include "autograd/shape.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/ranges.h>
#include <ostream>

#include "autograd/machine/error.h"

namespace regard {

namespace {
Index product(std::vector<Index>::const_iterator begin, std::vector<Index>::const_iterator end) {
  constexpr Index most = Index{1} << 59;  // more than any memory; the number of bytes still fits an Index
  Index result = 1;
  for (auto extent = begin; extent != end; ++extent) {
    if (*extent != 0 && std::abs(result) > most / std::abs(*extent))
      fail("a shape with the extents {} has more elements than any memory", fmt::join(begin, end, " x "));
    result *= *extent;
  }
  return result;
}
}  // namespace

Index Shape::size() const { return product(extents_.begin(), extents_.end()); }

Index Shape::wrap(Index axis) const {
  const Index wrapped = axis < 0 ? axis + rank() : axis;
  if (wrapped < 0 || wrapped >= rank()) fail("shape {} has no axis {}", to_string(*this), axis);
  return wrapped;
}

Index Shape::size_from(Index axis) const {
  return product(extents_.begin() + (axis == rank() ? axis : wrap(axis)), extents_.end());
}

Index Shape::size_before(Index axis) const {
  return product(extents_.begin(), extents_.begin() + (axis == rank() ? axis : wrap(axis)));
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.extents(), ", ")); }
std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << to_string(shape); }

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  const Index rank = std::max(a.rank(), b.rank());
  std::vector<Index> extents(to_size(rank), 1);
  for (Index axis = 1; axis <= rank; ++axis) {
    const Index in_a = axis <= a.rank() ? a[-axis] : 1;
    const Index in_b = axis <= b.rank() ? b[-axis] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1)
      fail("{}: shapes {} and {} do not match at axis -{} ({} against {}); extents must be equal or 1", op,
           to_string(a), to_string(b), axis, in_a, in_b);
    extents[to_size(rank - axis)] = in_a == 1 ? in_b : in_a;
  }
  return Shape(std::move(extents));
}

}  // namespace regard
