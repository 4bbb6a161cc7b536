// Functions of each element, reductions, choices of positions. This file is compiled once for each precision.
// Negative axes count from the end.
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
      [](const Tensor& x, Real probability, std::optional<std::uint64_t> key) {
        if (!key)
          fail(
              "dropout: give a key, an int that decides what is dropped; nn.functional.dropout(x, p) draws "
              "one");
        return dropout(x, {probability, *key});
      },
      "x"_a, "probability"_a, "key"_a.none() = nb::none(),
      "Sets each value to 0 with this probability and scales the others by 1 / (1 - probability). The\n"
      "values that are dropped are a function of `key`, an int, and of the position.");
  function(
      to, "residual_dropout",
      [](const Tensor& x, const Tensor& sublayer, Real probability, std::uint64_t key) {
        return residual_dropout(x, sublayer, {probability, key});
      },
      "x"_a, "sublayer"_a, "probability"_a, "key"_a,
      "x + dropout(sublayer, probability, key): the end of a pre-norm sublayer.");
}

// Reductions.

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
         "The sum over an axis, over a tuple of axes, or over all. keepdims leaves them in the shape as 1.");
  reduce("mean", &mean, "The mean; arguments as in sum.");
  extreme<max>(
      to, "max",
      "The largest value; arguments as in sum. Equal largest values share the gradient. max(x, dim=1) is\n"
      "PyTorch's, and so is max(x, 1): a pair of the values and of their positions, an array of int32.");
  extreme<min>(to, "min", "The smallest value; arguments as in max.");
  for (const bool root : {false, true}) {
    const char* const name = root ? "std" : "var";
    const char* const text =
        root
            ? "The square root of var(). Of equal numbers it is 0, and so is its gradient."
            : "The variance: the sum of (x - mean)^2 divided by n - correction for n values, as PyTorch has\n"
              "it. (NumPy's default is correction=0, PyTorch's unbiased=False.)";
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

// Choices of positions. They have no gradient.

Shape rows_of(const Tensor& x) {
  std::vector<Index> extents = x.shape().extents();
  if (!extents.empty()) extents.pop_back();
  return Shape(std::move(extents));
}

void add_choices(Operations& to) {
  for (const auto& [axis, keep] : {std::pair("axis", "keepdims"), std::pair("dim", "keepdim")})
    both(
        to, "argmax",
        [](const Tensor& x, std::optional<Index> along, bool keep_axis) {
          const Tensor rows = along ? axis_last(x, *along) : reshape(x, {x.size()});
          std::vector<Index> extents = x.shape().extents();
          if (along && keep_axis) extents[to_size(x.shape().wrap(*along))] = 1;
          return Numbers<std::int32_t>{argmax(rows),
                                       along && keep_axis ? Shape(std::move(extents)) : rows_of(rows)};
        },
        "x"_a, nb::arg(axis).none() = nb::none(), nb::arg(keep) = false,
        "The position of the largest value along an axis, or among all values; of equal values, the\n"
        "first. An array of int32.");
  const auto draw = [](const Tensor& x, Random& random) {
    const nb::gil_scoped_acquire lock;  // threads may share `random`
    return Numbers<std::int32_t>{multinomial(x, random), rows_of(x)};
  };
  function(to, "multinomial", draw, "x"_a, "random"_a,
           "Draws a position of each row with a probability proportional to its value: an array of int32.");
  function(
      to, {"multinomial", "multinomial", "as PyTorch"},
      [draw](const Tensor& x, Index num_samples) {
        if (num_samples != 1)
          fail("multinomial: draws 1 position of each row, not {}; call it again", num_samples);
        const nb::gil_scoped_acquire lock;
        const nb::object random = nb::module_::import_("regard.creation").attr("default_random")();
        Numbers<std::int32_t> drawn = draw(x, nb::cast<Random&>(random));
        std::vector<Index> extents = drawn.shape.extents();
        extents.push_back(1);
        return Numbers<std::int32_t>{std::move(drawn.numbers), Shape(std::move(extents))};
      },
      "x"_a, "num_samples"_a,
      "As PyTorch's, for one sample: x[..., n] -> [..., 1], by the random numbers of manual_seed.");
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
      "The `count` largest values of each row of x[rows, columns]: arrays logits[rows, count], largest\n"
      "first, their positions[rows, count], and log_sum_exp[rows]. A logit minus log_sum_exp is\n"
      "log(softmax).");
}

}  // namespace

void add_operations(Operations& to) {
  add_elements(to);
  add_reductions(to);
  add_choices(to);
}

}}  // namespace regard::python::REGARD_PRECISION
