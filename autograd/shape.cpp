#include "autograd/shape.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/ranges.h>

#include "autograd/error.h"

namespace regard {

namespace {
std::int64_t product(std::vector<std::int64_t>::const_iterator begin,
                     std::vector<std::int64_t>::const_iterator end) {
  constexpr std::int64_t most = std::int64_t{1} << 59;  // beyond any memory, and their bytes can be counted
  std::int64_t result = 1;
  for (auto extent = begin; extent != end; ++extent) {
    if (*extent != 0 && std::abs(result) > most / std::abs(*extent))
      fail("a shape with the extents {} has more elements than any memory", fmt::join(begin, end, " x "));
    result *= *extent;
  }
  return result;
}
}  // namespace

std::int64_t Shape::size() const { return product(extents_.begin(), extents_.end()); }

std::int64_t Shape::wrap(std::int64_t axis) const {
  const std::int64_t wrapped = axis < 0 ? axis + rank() : axis;
  if (wrapped < 0 || wrapped >= rank()) fail("shape {} has no axis {}", to_string(*this), axis);
  return wrapped;
}

std::int64_t Shape::size_from(std::int64_t axis) const {
  return product(extents_.begin() + (axis == rank() ? axis : wrap(axis)), extents_.end());
}

std::int64_t Shape::size_before(std::int64_t axis) const {
  return product(extents_.begin(), extents_.begin() + (axis == rank() ? axis : wrap(axis)));
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape.extents(), ", ")); }

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  const std::int64_t rank = std::max(a.rank(), b.rank());
  std::vector<std::int64_t> extents(static_cast<std::size_t>(rank), 1);
  for (std::int64_t axis = 1; axis <= rank; ++axis) {
    const std::int64_t in_a = axis <= a.rank() ? a[-axis] : 1;
    const std::int64_t in_b = axis <= b.rank() ? b[-axis] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1)
      fail("{}: shapes {} and {} do not match at axis -{} ({} against {}); extents must be equal or 1", op,
           to_string(a), to_string(b), axis, in_a, in_b);
    extents[static_cast<std::size_t>(rank - axis)] = in_a == 1 ? in_b : in_a;
  }
  return Shape(std::move(extents));
}

}  // namespace regard
