// Functions of each element, and reductions. This file is compiled once for each precision. Negative axes
// count from the end.
#include "apps/python/src/axis_last.h"
#include "apps/python/src/bind.h"
#include "apps/python/src/module.h"
#include "autograd/autograd.h"

namespace regard::python { inline namespace REGARD_PRECISION {

namespace {

using namespace nb::literals;

// Elements.

Tensor absolute(const Tensor& x) {
  const Tensor sign = Tensor::empty(x.shape());
  for (Index i = 0; i < x.size(); ++i)
    sign.data()[i] = static_cast<Real>((x.data()[i] > 0) - (x.data()[i] < 0));
  return x * sign;
}

void add_elements(Operations& to) {
  both(to, "exp", &exp, "x"_a,
       R"(e^x of each element, in the shape of x.

TypeError if x is no tensor. PyTorch: torch.exp.

>>> regard.exp(regard.tensor([0.0, 1.0]))
Tensor[2] [1.    , 2.7183])");
  both(to, "log", &log, "x"_a,
       R"(The natural logarithm of each element, in the shape of x. Of 0 it is -inf, below 0 NaN.

TypeError if x is no tensor. PyTorch: torch.log.

>>> regard.log(regard.tensor([1.0, 10.0]))
Tensor[2] [0.    , 2.3026])");
  both(to, "sqrt", &sqrt, "x"_a,
       R"(The square root of each element, in the shape of x. Below 0 it is NaN.

TypeError if x is no tensor. PyTorch: torch.sqrt.

>>> regard.sqrt(regard.tensor([4.0, 2.0]))
Tensor[2] [2.    , 1.4142])");
  both(to, "abs", &absolute, "x"_a,
       R"(The absolute value of each element, in the shape of x. The gradient at 0 is 0.

TypeError if x is no tensor. PyTorch: torch.abs.

>>> regard.abs(regard.tensor([-2.0, 3.0]))
Tensor[2] [2., 3.])");
  both(to, "relu", &relu, "x"_a,
       R"(max(0, x) of each element, in the shape of x.

TypeError if x is no tensor. PyTorch: torch.relu.

>>> regard.relu(regard.tensor([-2.0, 3.0]))
Tensor[2] [0., 3.])");
  both(to, "tanh", &tanh, "x"_a,
       R"(The hyperbolic tangent of each element, in the shape of x.

TypeError if x is no tensor. PyTorch: torch.tanh.

>>> regard.tanh(regard.tensor([0.0, 1.0]))
Tensor[2] [0.    , 0.7616])");
  both(to, "sigmoid", &sigmoid, "x"_a,
       R"(1 / (1 + e^-x) of each element, in the shape of x.

TypeError if x is no tensor. PyTorch: torch.sigmoid.

>>> regard.sigmoid(regard.tensor([0.0, 1.0]))
Tensor[2] [0.5   , 0.7311])");
  both(to, "gelu", &gelu, "x"_a,
       R"(x Phi(x) of each element, with the normal distribution function Phi (Hendrycks and Gimpel 2016).

TypeError if x is no tensor. PyTorch: torch.nn.functional.gelu.

>>> regard.gelu(regard.tensor([-1.0, 1.0]))
Tensor[2] [-0.1587,  0.8413])");
  both(to, "silu", &silu, "x"_a,
       R"(x / (1 + e^-x) of each element, also called swish (Ramachandran et al. 2017).

TypeError if x is no tensor. PyTorch: torch.nn.functional.silu.

>>> regard.silu(regard.tensor([-1.0, 1.0]))
Tensor[2] [-0.2689,  0.7311])");
  function(
      to, "dropout",
      [](const Tensor& x, Real probability, std::optional<std::uint64_t> key) {
        if (!key)
          fail(
              "dropout: give a key, an int that decides what is dropped; nn.functional.dropout(x, p) draws "
              "one");
        return dropout(x, {probability, *key});
      },
      "x"_a, "probability"_a, "key"_a.none() = nb::none(),
      R"(Sets each value to 0 with this probability and scales the others by 1 / (1 - probability), in the shape of x.

The values that are dropped are a function of `key`, an int, and of the position. Error unless the probability is at
least 0 and below 1. Source: Srivastava et al. 2014. PyTorch: torch.nn.functional.dropout, without the key.

>>> regard.dropout(regard.ones(6), 0.5, key=1).sum().item() in range(0, 13, 2)
True)");
  function(
      to, "residual_dropout",
      [](const Tensor& x, const Tensor& sublayer, Real probability, std::uint64_t key) {
        return residual_dropout(x, sublayer, {probability, key});
      },
      "x"_a, "sublayer"_a, "probability"_a, "key"_a,
      R"(x + dropout(sublayer, probability, key): the end of a pre-norm sublayer. Both have one shape.

Error if the shapes differ. Source: Vaswani et al. 2017, section 5.4.

>>> regard.residual_dropout(regard.ones(2), regard.ones(2), 0.0, 1)
Tensor[2] [2., 2.])");
}

// Reductions.

template <class Function, class... Extra>
void reduces(Operations& to, const char* name, const Function& f, const Extra&... extra) {
  both(to, name, f, "x"_a, "axis"_a.none() = nb::none(), "keepdims"_a = false, extra...);
  both(to, name, f, "x"_a, "dim"_a.none() = nb::none(), "keepdim"_a = false, extra...);
}

Tensor min(const Tensor& x, const Reduction& axes) { return -max(-x, axes); }

/// max and min. With NumPy's name of the axis, or without one, they return the values. With PyTorch's name,
/// or without a name, they return PyTorch's pair: the values and their positions.
template <Tensor (*f)(const Tensor&, const Reduction&)>
void extreme(Operations& to, const char* name, const char* documentation) {
  both(
      to, name,
      [](const Tensor& x, const Axes& axes, bool keep_axes) {
        return f(x, {axes_of(axes), keep_axes});
      },
      "x"_a, nb::kw_only(), "axis"_a.none() = nb::none(), "keepdims"_a = false, documentation);
  both(
      to, {name, name, "with positions"},
      [](const Tensor& x, Index dim, bool keep_axis) {
        const Tensor rows = axis_last(x, dim);
        const std::vector<std::int32_t> positions = argmax(f == &max ? rows : -rows);
        std::vector<std::int32_t> places;
        for (const Index position : positions)
          places.push_back(static_cast<std::int32_t>(to_index(places.size()) * x.size(dim) + position));
        std::vector<Index> extents = x.shape().extents();
        const auto axis = extents.begin() + x.shape().wrap(dim);
        keep_axis ? void(*axis = 1) : void(extents.erase(axis));
        const Tensor values =
            reshape(gather(reshape(rows, {x.size()}), 0, places), Shape(std::move(extents)));
        return Chosen{values, {positions, values.shape()}};
      },
      "x"_a, "dim"_a, "keepdim"_a = false, documentation);
}

Tensor variance(const Tensor& x, const Axes& axes, bool keep_axes, Real correction) {
  const Tensor centre = mean(x, {axes_of(axes), true});
  return sum(pow(x - centre, 2), {axes_of(axes), keep_axes}) /
         (static_cast<Real>(x.size()) / static_cast<Real>(centre.size()) - correction);
}

/// The slope of sqrt(0) is infinite, so sqrt(1) takes its place: the gradient of equal numbers is 0.
Tensor standard_deviation(const Tensor& variance) {
  const Tensor one = Tensor::zeros(variance.shape());
  for (Index i = 0; i < one.size(); ++i) one.data()[i] = variance.data()[i] == 0 ? 1 : 0;
  return sqrt(variance + one) - one;
}

void add_reductions(Operations& to) {
  const auto reduce = [&](const char* name, Tensor (*f)(const Tensor&, const Reduction&), const char* text) {
    reduces(
        to, name,
        [f](const Tensor& x, const Axes& axes, bool keep_axes) {
          return f(x, {axes_of(axes), keep_axes});
        },
        text);
  };
  reduce("sum", &sum,
         R"(The sum over an axis, over a tuple of axes, or over all. keepdims leaves them in the shape as 1.

Error if there is no such axis. PyTorch: torch.sum.

>>> regard.sum(regard.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
Tensor[2] [4., 6.])");
  reduce("mean", &mean, R"(The mean over an axis, over a tuple of axes, or over all; arguments as in sum.

Error if there is no such axis. PyTorch: torch.mean.

>>> regard.mean(regard.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
Tensor[2] [2., 3.])");
  extreme<max>(
      to, "max",
      R"(The largest value over an axis, over several, or over all. Equal largest values share the gradient.

max(x, dim=1) is PyTorch's, and so is max(x, 1): a pair of the values and of their positions, an array of int32. Error
if there is no such axis; NotFinite if a position is asked for and x has NaN. PyTorch: torch.max.

>>> regard.max(regard.tensor([[1.0, 5.0], [3.0, 4.0]]), dim=1).indices
array([1, 1], dtype=int32))");
  extreme<min>(to, "min",
               R"(The smallest value over an axis, over several, or over all; arguments and errors as in max.

PyTorch: torch.min.

>>> regard.min(regard.tensor([[1.0, 5.0], [3.0, 4.0]]), axis=1)
Tensor[2] [1., 3.])");
  for (const bool root : {false, true}) {
    const char* const name = root ? "std" : "var";
    const char* const text =
        root
            ? R"(The square root of var(): the standard deviation. Of equal numbers it is 0, and so is its gradient.

Error if there is no such axis. PyTorch: torch.std.

>>> round(regard.std(regard.tensor([1.0, 2.0, 3.0, 4.0])).item(), 4)
1.291)"
            : R"(The variance: the sum of (x - mean)^2 divided by n - correction for n values.

(NumPy's default is correction=0, PyTorch's unbiased=False.) Error if there is no such axis. PyTorch: torch.var.

>>> round(regard.var(regard.tensor([1.0, 2.0, 3.0, 4.0])).item(), 4)
1.6667)";
    const auto spread = [root](const Tensor& x, const Axes& axes, bool keep_axes, Real correction) {
      const Tensor found = variance(x, axes, keep_axes, correction);
      return root ? standard_deviation(found) : found;
    };
    reduces(to, name, spread, "correction"_a = 1, text);
    both(
        to, {name, name, "unbiased"},
        [spread](const Tensor& x, const Axes& axes, bool keep_axes, bool unbiased) {
          return spread(x, axes, keep_axes, unbiased ? 1 : 0);
        },
        "x"_a, "dim"_a.none() = nb::none(), "keepdim"_a = false, nb::kw_only(), "unbiased"_a, text);
  }
}

}  // namespace

void add_operations(Operations& to) {
  add_elements(to);
  add_reductions(to);
}

}}  // namespace regard::python::REGARD_PRECISION
