// Choices of positions. This file is compiled once for each precision. Negative axes count from the end.
#include "apps/python/src/axis_last.h"
#include "apps/python/src/bind.h"
#include "apps/python/src/module.h"
#include "autograd/autograd.h"

namespace regard::python { inline namespace REGARD_PRECISION {

namespace {

using namespace nb::literals;

Shape rows_of(const Tensor& x) {
  std::vector<Index> extents = x.shape().extents();
  if (!extents.empty()) extents.pop_back();
  return Shape(std::move(extents));
}

}  // namespace

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
        R"(The position of the largest value along an axis, or among all values; of equal values, the first.

An array of int32. Error if there is no such axis, NotFinite if x has NaN. PyTorch: torch.argmax.

>>> regard.argmax(regard.tensor([[1.0, 5.0], [3.0, 2.0]]), dim=1)
array([1, 0], dtype=int32))");
  const auto draw = [](const Tensor& x, Random& random) {
    const nb::gil_scoped_acquire lock;  // threads may share `random`
    return Numbers<std::int32_t>{multinomial(x, random), rows_of(x)};
  };
  function(to, "multinomial", draw, "x"_a, "random"_a,
           R"(Draws a position of each row with a probability proportional to its value: an array of int32.

multinomial(x, num_samples=1) is PyTorch's: x[..., n] -> [..., 1], by the random numbers of manual_seed. Error for more
samples, or if a row has no value above 0. PyTorch: torch.multinomial.

>>> regard.multinomial(regard.tensor([[0.0, 1.0]]), num_samples=1)
array([[1]], dtype=int32))");
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
      R"(The `count` largest values of each row of x[rows, columns]: arrays logits[rows, count], largest first, their
positions[rows, count], and log_sum_exp[rows]. A logit minus log_sum_exp is log(softmax).

Error if x is no matrix or has fewer columns. PyTorch: torch.topk and torch.logsumexp.

>>> regard.largest_logits(regard.tensor([[1.0, 5.0, 3.0]]), 2).positions
array([[1, 2]], dtype=int32))");
}

}}  // namespace regard::python::REGARD_PRECISION
