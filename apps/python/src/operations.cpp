// Operations on tensors: elements, reductions, shapes, choices, products, layers, losses. This file is
// compiled once for each precision. Negative axes count from the end.
#include <algorithm>
#include <numeric>

#include "apps/python/src/bind.h"
#include "apps/python/src/module.h"
#include "autograd/autograd.h"

namespace regard::python::inline REGARD_PRECISION {

namespace {

using namespace nb::literals;

/// Binds a function with NumPy's name of an argument, axis, and with PyTorch's, dim. `default_axis` is empty
/// or the argument's value.
template <class Function, class... Extra>
void on_axis(Operations& to, const char* name, const Function& f, const nb::arg& first,
             nb::object default_axis, const Extra&... extra) {
  for (const char* axis : {"axis", "dim"})
    if (default_axis.is_valid())
      both(to, name, f, first, nb::arg(axis).none() = default_axis, extra...);
    else
      both(to, name, f, first, nb::arg(axis), extra...);
}

// Elements.

Tensor absolute(const Tensor& x) {
  const Tensor sign = Tensor::empty(x.shape());
  for (Index i = 0; i < x.size(); ++i)
    sign.data()[i] = static_cast<Real>((x.data()[i] > 0) - (x.data()[i] < 0));
  return x * sign;
}

void add_elements(Operations& to) {
  both(to, "exp", &exp, "x"_a, "e^x of each element.");
  both(to, "log", &log, "x"_a, "The natural logarithm of each element.");
  both(to, "sqrt", &sqrt, "x"_a, "The square root of each element.");
  both(to, "abs", &absolute, "x"_a, "The absolute value of each element.");
  both(to, "relu", &relu, "x"_a, "max(0, x) of each element.");
  both(to, "tanh", &tanh, "x"_a, "The hyperbolic tangent of each element.");
  both(to, "sigmoid", &sigmoid, "x"_a, "1 / (1 + e^-x) of each element.");
  both(to, "gelu", &gelu, "x"_a,
       "x Phi(x), with the normal distribution function Phi (Hendrycks and Gimpel 2016).");
  both(to, "silu", &silu, "x"_a, "x / (1 + e^-x), also called swish (Ramachandran et al. 2017).");
  function(
      to, "dropout",
      [](const Tensor& x, Real probability, std::uint64_t key) {
        return dropout(x, {probability, key});
      },
      "x"_a, "probability"_a, "key"_a,
      "Sets each value to 0 with this probability and scales the others by 1 / (1 - probability). The values "
      "that\n"
      "are dropped are a function of `key`, an int, and of the position.");
  function(
      to, "residual_dropout",
      [](const Tensor& x, const Tensor& sublayer, Real probability, std::uint64_t key) {
        return residual_dropout(x, sublayer, {probability, key});
      },
      "x"_a, "sublayer"_a, "probability"_a, "key"_a,
      "x + dropout(sublayer, probability, key): the end of a pre-norm sublayer.");
}

// Reductions.

using Axes = std::optional<std::variant<Index, std::vector<Index>>>;

Reduction reduction(const Axes& axes, bool keep_axes) {
  if (!axes) return {{}, keep_axes};
  if (const Index* const axis = std::get_if<Index>(&*axes)) return {{*axis}, keep_axes};
  return {std::get<std::vector<Index>>(*axes), keep_axes};
}

template <class Function, class... Extra>
void reduces(Operations& to, const char* name, const Function& f, const Extra&... extra) {
  both(to, name, f, "x"_a, "axis"_a.none() = nb::none(), "keepdims"_a = false, extra...);
  both(to, name, f, "x"_a, "dim"_a.none() = nb::none(), "keepdim"_a = false, extra...);
}

Tensor axis_last(Tensor x, Index axis) {
  for (Index i = x.shape().wrap(axis); i + 1 < x.rank(); ++i) x = transpose(x, i, i + 1);
  return x;
}

Tensor min(const Tensor& x, const Reduction& axes) { return -max(-x, axes); }

/// max and min. By NumPy's names of the arguments, they return the values; with PyTorch's dim, also their
/// positions.
template <Tensor (*f)(const Tensor&, const Reduction&)>
void extreme(Operations& to, const char* name, const char* documentation) {
  both(
      to, name,
      [](const Tensor& x, const Axes& axes, bool keep_axes) { return f(x, reduction(axes, keep_axes)); },
      "x"_a, "axis"_a.none() = nb::none(), "keepdims"_a = false, documentation);
  both(
      to, {name, name, "with positions"},
      [](const Tensor& x, Index axis, bool keep_axes) {
        const Tensor values = f(x, {{axis}, keep_axes}), rows = axis_last(x, axis);
        return std::tuple(values, Numbers<std::int32_t>{argmax(f == &max ? rows : -rows), values.shape()});
      },
      "x"_a, nb::kw_only(), "dim"_a, "keepdim"_a = false, documentation);
}

Tensor variance(const Tensor& x, const Axes& axes, bool keep_axes, Real correction) {
  const Tensor centre = mean(x, reduction(axes, true));
  return sum(pow(x - centre, 2), reduction(axes, keep_axes)) /
         (static_cast<Real>(x.size()) / static_cast<Real>(centre.size()) - correction);
}

void add_reductions(Operations& to) {
  const auto reduce = [&](const char* name, Tensor (*f)(const Tensor&, const Reduction&), const char* text) {
    reduces(
        to, name,
        [f](const Tensor& x, const Axes& axes, bool keep_axes) { return f(x, reduction(axes, keep_axes)); },
        text);
  };
  reduce("sum", &sum,
         "The sum over an axis, over a tuple of axes, or over all. keepdims leaves them in the shape as 1.");
  reduce("mean", &mean, "The mean; arguments as in sum.");
  extreme<max>(
      to, "max",
      "The largest value; arguments as in sum. Equal largest values share the gradient. max(x, dim=1) is\n"
      "PyTorch's: a pair of the values and of their positions, an array of int32.");
  extreme<min>(to, "min", "The smallest value; arguments as in max.");
  reduces(to, "var", &variance, "correction"_a = 1,
          "The variance: the sum of (x - mean)^2 divided by n - correction for n values, as PyTorch has it. "
          "(NumPy's\n"
          "default is correction=0.)");
  reduces(
      to, "std",
      [](const Tensor& x, const Axes& axes, bool keep_axes, Real correction) {
        return sqrt(variance(x, axes, keep_axes, correction));
      },
      "correction"_a = 1, "The square root of var().");
}

// Shapes.

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
  std::vector<Index> chosen = reduction(axes, false).axes, kept;
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

void add_shapes(Operations& to) {
  for (const char* name : {"reshape", "view"})
    both(to, name, &reshape_to, "x"_a, "shape"_a,
         "The same elements in another shape of the same size: reshape(x, 2, 3) or reshape(x, (2, 3)). One "
         "extent may\n"
         "be -1: the others decide it. Shares memory.");
  for (const char* name : {"transpose", "t"})
    both(to, name, &transpose, "x"_a, "axis_a"_a = -2, "axis_b"_a = -1, "Exchanges two axes.");
  both(to, "permute", &permute, "x"_a, "axes"_a, "The axes in another order: permute(x, 2, 0, 1).");
  on_axis(to, "squeeze", &squeeze, "x"_a, nb::none(),
          "Leaves out axes of extent 1: all, one, or a tuple of them.");
  on_axis(to, "unsqueeze", &unsqueeze, "x"_a, {}, "A new axis of extent 1 at this place.");
  both(
      to, "flatten",
      [](const Tensor& x, Index first, Index last) {
        if (x.rank() == 0) return reshape(x, {1});
        first = x.shape().wrap(first), last = x.shape().wrap(last);
        if (first > last) fail("flatten: axis {} stands after axis {}", first, last);
        return with_axes(x, first, last, {x.shape().size_from(first) / x.shape().size_from(last + 1)});
      },
      "x"_a, "start_dim"_a = 0, "end_dim"_a = -1,
      "One axis in the place of those from start_dim to end_dim.");
  both(to, "slice", &slice, "x"_a, "axis"_a, "begin"_a, "end"_a,
       "The elements begin .. end (exclusive) along an axis.");
  for (const char* axis : {"axis", "dim"}) {
    for (const char* name : {"concat", "cat"})
      function(to, name, &concat, "tensors"_a, nb::arg(axis) = 0,
               "Joins a list of tensors along an axis; all other extents must be equal.");
    function(to, "stack", &stack, "tensors"_a, nb::arg(axis) = 0,
             "Joins tensors of one shape along a new axis.");
    both(
        to, "split",
        [](const Tensor& x, const std::variant<Index, std::vector<Index>>& length, Index along) {
          return std::visit([&](const auto& each) { return split(x, each, along); }, length);
        },
        "x"_a, "length"_a, nb::arg(axis) = 0, "A list of parts of this length, or of the lengths in a list.");
    both(
        to, "chunk",
        [](const Tensor& x, Index count, Index along) {
          if (count < 1) fail("chunk: {} parts; give at least 1", count);
          return split(x, std::max(Index(1), (x.size(along) + count - 1) / count), along);
        },
        "x"_a, "count"_a, nb::arg(axis) = 0,
        "A list of at most this many parts of equal length; the last may be shorter.");
  }
  both(
      to, "gather",
      [](const Tensor& x, Index axis, const Ids& indices) {
        if (indices.shape.rank() == x.rank() && x.rank() > 1) return gather_elements(x, axis, indices);
        if (indices.shape.rank() != 1)
          fail("gather: indices of the shape {}; give one axis, or as many as x {} has",
               to_string(indices.shape), to_string(x.shape()));
        return gather(x, axis, indices);
      },
      "x"_a, "axis"_a, "indices"_a,
      "The slices indices[0], indices[1], ... along an axis; an index may occur many times. With as many "
      "axes of\n"
      "indices as x has, one element for each index, as torch.gather: y[i, j] = x[i, indices[i, j]] for axis "
      "1.");
}

// Choices of positions. They have no gradient.

Shape rows_of(const Tensor& x) {
  std::vector<Index> extents = x.shape().extents();
  if (!extents.empty()) extents.pop_back();
  return Shape(std::move(extents));
}

void add_choices(Operations& to) {
  on_axis(
      to, "argmax",
      [](const Tensor& x, std::optional<Index> axis) {
        const Tensor rows = axis ? axis_last(x, *axis) : reshape(x, {x.size()});
        return Numbers<std::int32_t>{argmax(rows), rows_of(rows)};
      },
      "x"_a, nb::none(),
      "The position of the largest value along an axis, or among all values; of equal values, the first. An "
      "array of\n"
      "int32.");
  function(
      to, "multinomial",
      [](const Tensor& x, Random& random) {
        return Numbers<std::int32_t>{multinomial(x, random), rows_of(x)};
      },
      "x"_a, "random"_a,
      "Draws a position of each row with a probability proportional to its value: an array of int32.");
  function(
      to, "largest_logits",
      [](const Tensor& x, Index count) {
        LargestLogits largest = without_lock([&] { return largest_logits(x, count); });
        const Shape rows = rows_of(x), two{x.size(0), largest.count};
        return GivenArray{{result("LargestLogits", to_array(std::move(largest.logits), two),
                                  to_array(std::move(largest.positions), two),
                                  to_array(std::move(largest.log_sum_exp), rows))}};
      },
      "x"_a, "count"_a, nb::sig("def largest_logits(x: Tensor, count: int) -> regard.results.LargestLogits"),
      "The `count` largest values of each row of x[rows, columns]: arrays logits[rows, count], largest "
      "first, their\n"
      "positions[rows, count], and log_sum_exp[rows]. A logit minus log_sum_exp is log(softmax).");
}

}  // namespace

void add_operations(Operations& to) {
  add_elements(to);
  add_reductions(to);
  add_shapes(to);
  add_choices(to);
}

}  // namespace regard::python::REGARD_PRECISION
