// Operations that change the shape. This file is compiled once for each precision. Negative axes count from
// the end.
#include <algorithm>
#include <fmt/ranges.h>
#include <numeric>

#include "apps/python/src/bind.h"
#include "autograd/autograd.h"

namespace regard::python { inline namespace REGARD_PRECISION {

namespace {

using namespace nb::literals;

Tensor reshape_to(const Tensor& x, Extents extents) {
  const auto unknown = std::ranges::find(extents, -1);
  if (unknown != extents.end()) {
    *unknown = 1;
    const Index known = Shape(extents).size();
    *unknown = known > 0 ? x.size() / known : -1;
  }
  return reshape(x, Shape(extents));
}

/// The extents with those of the axes first .. last, both included, replaced by others.
Tensor with_axes(const Tensor& x, Index first, Index last, const std::vector<Index>& others) {
  std::vector<Index> extents = x.shape().extents();
  extents.erase(extents.begin() + first, extents.begin() + last + 1);
  extents.insert(extents.begin() + first, others.begin(), others.end());
  return reshape(x, Shape(extents));
}

Tensor squeeze(const Tensor& x, const Axes& axes) {
  std::vector<Index> chosen = axes_of(axes), kept;
  for (Index& axis : chosen) axis = x.shape().wrap(axis);
  for (Index axis = 0; axis < x.rank(); ++axis)
    if (x.size(axis) != 1 || (axes && std::ranges::find(chosen, axis) == chosen.end()))
      kept.push_back(x.size(axis));
  return reshape(x, Shape(kept));
}

Tensor unsqueeze(const Tensor& x, Index axis) {
  const Index at = Shape(std::vector<Index>(to_size(x.rank() + 1))).wrap(axis);
  return with_axes(x, at, at - 1, {1});
}

/// Exchanges axes until each stands where it belongs.
Tensor permute(Tensor x, const Extents& axes) {
  std::vector<Index> order(to_size(x.rank())), wanted;
  std::iota(order.begin(), order.end(), 0);
  for (const Index axis : axes) wanted.push_back(x.shape().wrap(axis));
  if (!std::ranges::is_permutation(order, wanted))
    fail("permute: the shape {} has {} axes; name each of them once", to_string(x.shape()), x.rank());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = to_size(std::ranges::find(order, wanted[i]) - order.begin());
    if (from == i) continue;
    std::swap(order[i], order[from]);
    x = transpose(x, to_index(i), to_index(from));
  }
  return x;
}

Tensor stack(const std::vector<Tensor>& tensors, Index axis) {
  if (tensors.empty()) fail("stack: there are no tensors; give at least one");
  std::vector<Tensor> each;
  for (const Tensor& x : tensors) each.push_back(unsqueeze(x, axis));
  return concat(each, axis);
}

/// Parts of these lengths, one after another.
std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& lengths, Index axis) {
  if (std::accumulate(lengths.begin(), lengths.end(), Index(0)) != x.size(axis))
    fail("split: the parts of {} elements do not add up to the extent of axis {} of {}",
         fmt::join(lengths, ", "), axis, to_string(x.shape()));
  std::vector<Tensor> parts;
  Index begin = 0;
  for (const Index length : lengths) {
    parts.push_back(slice(x, axis, begin, begin + length));
    begin += length;
  }
  return parts;
}

/// Parts of this length; the last may be shorter.
std::vector<Tensor> split(const Tensor& x, Index length, Index axis) {
  if (length < 1) fail("split: a part has {} elements; give at least 1", length);
  std::vector<Index> lengths;
  for (Index left = x.size(axis); left > 0; left -= length) lengths.push_back(std::min(length, left));
  return split(x, lengths, axis);
}

/// With as many axes of indices as x has: y[i, j] = x[i, indices[i, j]] for the last axis, as torch.gather.
Tensor gather_elements(const Tensor& x, Index axis, const Ids& indices) {
  const Index at = x.shape().wrap(axis), extent = x.size(at), inner = x.shape().size_from(at + 1);
  const Index count = indices.shape[at];
  for (Index i = 0; i < x.rank(); ++i)
    if (i != at && indices.shape[i] != x.size(i))
      fail("gather: indices of the shape {} for x {}; all axes but {} must be equal",
           to_string(indices.shape), to_string(x.shape()), at);
  std::vector<std::int32_t> places;
  for (Index i = 0; i < indices.shape.size(); ++i) {
    const Index index = indices.numbers[to_size(i)];
    if (index < 0 || index >= extent)
      fail("gather: there is no index {} on axis {} of {}", index, at, to_string(x.shape()));
    places.push_back(static_cast<std::int32_t>((i / (count * inner) * extent + index) * inner + i % inner));
  }
  return reshape(gather(reshape(x, {x.size()}), 0, places), indices.shape);
}

}  // namespace

void add_shapes(Operations& to) {
  for (const char* name : {"reshape", "view"})
    both(to, name, &reshape_to, "x"_a, "shape"_a,
         R"(The same elements in another shape of the same size: reshape(x, 2, 3) or reshape(x, (2, 3)).

One extent may be -1: the others decide it. Shares memory. Error if the sizes differ. PyTorch: torch.reshape.

>>> regard.reshape(regard.arange(6), 2, -1)
Tensor[2, 3] [[0., 1., 2.],
              [3., 4., 5.]])");
  for (const char* name : {"transpose", "t"})
    both(to, name, &transpose, "x"_a, "axis_a"_a = -2, "axis_b"_a = -1,
         R"(Exchanges two axes, the last two without other numbers: [..., n, m] -> [..., m, n]. A copy.

Error if there is no such axis. PyTorch: torch.transpose.

>>> regard.transpose(regard.zeros(2, 3, 4), 0, 1).shape
(3, 2, 4))");
  both(to, "permute", &permute, "x"_a, "axes"_a,
       R"(The axes in another order: permute(x, 2, 0, 1). A copy.

Error unless each axis is named once. PyTorch: torch.permute.

>>> regard.permute(regard.zeros(2, 3, 4), 2, 0, 1).shape
(4, 2, 3))");
  both(
      to, "flatten",
      [](const Tensor& x, Index first, Index last) {
        if (x.rank() == 0) return reshape(x, {1});
        first = x.shape().wrap(first), last = x.shape().wrap(last);
        if (first > last) fail("flatten: axis {} stands after axis {}", first, last);
        return with_axes(x, first, last, {x.shape().size_from(first) / x.shape().size_from(last + 1)});
      },
      "x"_a, "start_dim"_a = 0, "end_dim"_a = -1,
      R"(One axis in the place of those from start_dim to end_dim: [2, 3, 4] from axis 1 on -> [2, 12].

Error if start_dim stands after end_dim. PyTorch: torch.flatten.

>>> regard.flatten(regard.zeros(2, 3, 4), 1).shape
(2, 12))");
  both(to, "slice", &slice, "x"_a, "axis"_a, "begin"_a, "end"_a,
       R"(The elements begin .. end (exclusive) along an axis. Along axis 0 it shares memory.

Error if they lie outside. x[begin:end] is the same along axis 0. PyTorch: torch.narrow.

>>> regard.slice(regard.arange(5), 0, 1, 3)
Tensor[2] [1., 2.])");
  for (const char* axis : {"axis", "dim"}) {  // NumPy's name of the argument, and PyTorch's
    both(to, "squeeze", &squeeze, "x"_a, nb::arg(axis).none() = nb::none(),
         R"(Leaves out axes of extent 1: all, one, or a tuple of them.

Error if there is no such axis, or its extent is not 1. PyTorch: torch.squeeze.

>>> regard.squeeze(regard.zeros(1, 3, 1), 0).shape
(3, 1))");
    both(to, "unsqueeze", &unsqueeze, "x"_a, nb::arg(axis),
         R"(A new axis of extent 1 at this place: [n] -> [n, 1] for axis 1.

Error if there is no such place. PyTorch: torch.unsqueeze.

>>> regard.unsqueeze(regard.zeros(3), 1).shape
(3, 1))");
    for (const char* name : {"concat", "cat"})
      function(to, name, &concat, "tensors"_a, nb::arg(axis) = 0,
               R"(Joins a list of tensors along an axis: [2, 3] and [4, 3] -> [6, 3].

Error if the list is empty, or another extent differs. PyTorch: torch.cat.

>>> regard.cat([regard.zeros(2, 3), regard.ones(4, 3)]).shape
(6, 3))");
    function(to, "stack", &stack, "tensors"_a, nb::arg(axis) = 0,
             R"(Joins a list of tensors of one shape along a new axis: two of [3] -> [2, 3].

Error if the list is empty, or the shapes differ. PyTorch: torch.stack.

>>> regard.stack([regard.zeros(3), regard.ones(3)]).shape
(2, 3))");
    both(
        to, "split",
        [](const Tensor& x, const std::variant<Index, std::vector<Index>>& length, Index along) {
          return std::visit([&](const auto& each) { return split(x, each, along); }, length);
        },
        "x"_a, "length"_a, nb::arg(axis) = 0,
        R"(A list of parts of this length along an axis, or of the lengths in a list; the last may be shorter.

Error if a length is below 1, or a list of them does not add up to the extent. PyTorch: torch.split.

>>> [part.tolist() for part in regard.split(regard.arange(5), 2)]
[[0.0, 1.0], [2.0, 3.0], [4.0]])");
    both(
        to, "chunk",
        [](const Tensor& x, Index count, Index along) {
          if (count < 1) fail("chunk: {} parts; give at least 1", count);
          return split(x, std::max(Index(1), ceil_divide(x.size(along), count)), along);
        },
        "x"_a, "count"_a, nb::arg(axis) = 0,
        R"(A list of at most this many parts of equal length along an axis; the last may be shorter.

Error if the number is below 1. PyTorch: torch.chunk.

>>> [part.shape for part in regard.chunk(regard.zeros(4, 6), 3, dim=1)]
[(4, 2), (4, 2), (4, 2)])");
  }
  for (const auto& [axis, numbers] : {std::pair("axis", "indices"), std::pair("dim", "index")})
    both(
        to, "gather",
        [](const Tensor& x, Index along, const Ids& indices) {
          if (indices.shape.rank() == x.rank() && x.rank() > 1) return gather_elements(x, along, indices);
          if (indices.shape.rank() != 1)
            fail("gather: indices of the shape {}; give one axis, or as many as x {} has",
                 to_string(indices.shape), to_string(x.shape()));
          return gather(x, along, indices);
        },
        "x"_a, nb::arg(axis), nb::arg(numbers),
        R"(The slices indices[0], indices[1], ... along an axis; an index may occur many times.

With as many axes of indices as x has, one element for each index, as torch.gather: y[i, j] = x[i, indices[i, j]] for
axis 1. Error if an index or the shape of the indices does not fit. PyTorch: torch.index_select, torch.gather.

>>> regard.gather(regard.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, [[1], [0]])
Tensor[2, 1] [[2.],
              [3.]])");
}

}}  // namespace regard::python::REGARD_PRECISION
