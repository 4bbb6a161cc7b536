// All operations on tensors. This file is compiled once for each precision, and fills the module
// regard._core._float32 or regard._core._float64. regard/operations.py calls these functions by position and
// documents them.
#include <fmt/ranges.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>

#include "apps/python/src/arrays.h"
#include "apps/python/src/casters.h"
#include "apps/python/src/locks.h"
#include "apps/python/src/module.h"
#include "autograd/autograd.h"
#include "autograd/reference/attention.h"

namespace regard::python::inline REGARD_PRECISION {

namespace {

using Ids = std::span<const std::int32_t>;

Shape rows_of(const Tensor& x) {
  std::vector<Index> extents = x.shape().extents();
  if (!extents.empty()) extents.pop_back();
  return Shape(std::move(extents));
}

/// Columns first .. first + width of a matrix; the whole matrix if the width is negative.
using Columns = std::tuple<Tensor, Index, Index>;
ColumnSlice slice_of(const Columns& columns) {
  const auto& [matrix, first, width] = columns;
  return width < 0 ? ColumnSlice(matrix) : ColumnSlice(matrix, first, width);
}

void add_tensors(nb::module_& m) {
  m.def("tensor", [](const nb::ndarray<const Real, nb::c_contig, nb::device::cpu>& array) {
    std::vector<Index> extents;
    for (std::size_t axis = 0; axis < array.ndim(); ++axis) extents.push_back(to_index(array.shape(axis)));
    return Tensor::from(Shape(std::move(extents)), std::span<const Real>(array.data(), array.size()))
        .watch_values();
  });
  m.def("uniform", [](const Shape& shape, Real low, Real high, Random& random) {
    return Tensor::uniform(shape, low, high, random).watch_values();
  });
  m.def("normal", [](const Shape& shape, Real mean, Real deviation, Random& random) {
    return Tensor::normal(shape, mean, deviation, random).watch_values();
  });
  m.def("grad_enabled", &grad_enabled);
  m.def("no_grad",
        [] { return nb::capsule(new NoGrad, [](void* p) noexcept { delete static_cast<NoGrad*>(p); }); });
}

void add_elements(nb::module_& m) {
  m.def("exp", &exp, NoLock());
  m.def("log", &log, NoLock());
  m.def("sqrt", &sqrt, NoLock());
  m.def("pow", &pow, NoLock());
  m.def("relu", &relu, NoLock());
  m.def("tanh", &tanh, NoLock());
  m.def("sigmoid", &sigmoid, NoLock());
  m.def("gelu", &gelu, NoLock());
  m.def("silu", &silu, NoLock());
  m.def("dropout", &dropout, NoLock());
  m.def("residual_dropout", &residual_dropout, NoLock());
}

void add_shapes(nb::module_& m) {
  m.def("sum", &sum, NoLock());
  m.def("mean", &mean, NoLock());
  m.def("max", &max, NoLock());
  m.def("reshape", &reshape, NoLock());
  m.def("transpose", &transpose, NoLock());
  m.def("slice", &slice, NoLock());
  m.def("concat", &concat, NoLock());
  m.def("gather", &gather, NoLock());
  m.def("argmax",
        [](const Tensor& x) { return to_array(without_lock([&] { return argmax(x); }), rows_of(x)); });
  m.def("multinomial",
        [](const Tensor& x, Random& random) { return to_array(multinomial(x, random), rows_of(x)); });
  m.def("largest_logits", [](const Tensor& x, Index count) {
    LargestLogits largest = without_lock([&] { return largest_logits(x, count); });
    const Shape rows = rows_of(x), two{x.size(0), largest.count};
    return nb::make_tuple(to_array(std::move(largest.logits), two),
                          to_array(std::move(largest.positions), two),
                          to_array(std::move(largest.log_sum_exp), rows));
  });
}

/// The loss, and the log-probability of each target.
std::pair<Tensor, Tensor> loss_of(const auto& loss, CrossEntropyOptions options) {
  Tensor each;
  options.log_probabilities = &each;
  const Tensor mean = loss(options);
  return {mean, each};
}

void add_layers(nb::module_& m) {
  m.def("matmul", &matmul, NoLock());
  m.def("linear", &linear, NoLock());
  m.def("linear_relu", &linear_relu, NoLock());
  m.def("linear_gelu", &linear_gelu, NoLock());
  m.def("linear_silu", &linear_silu, NoLock());
  m.def("embedding", &embedding, NoLock());
  m.def("softmax", &softmax, NoLock());
  m.def("log_softmax", &log_softmax, NoLock());
  m.def("layer_norm", &layer_norm, NoLock());
  m.def("residual_layer_norm", &residual_layer_norm, NoLock());
  m.def(
      "cross_entropy",
      [](const Tensor& logits, Ids targets, const CrossEntropyOptions& given) {
        return loss_of([&](const auto& options) { return cross_entropy(logits, targets, options); }, given);
      },
      NoLock());
  m.def(
      "linear_cross_entropy",
      [](const Tensor& x, const Tensor& weight, Ids targets, const CrossEntropyOptions& given) {
        return loss_of([&](const auto& options) { return linear_cross_entropy(x, weight, targets, options); },
                       given);
      },
      NoLock());
  m.def("gru", &gru, NoLock());
  m.def(
      "lstm",
      [](const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& state,
         const Tensor& cell, const TimeSteps& steps) {
        const LstmResult result = lstm(gates, weight_hh, bias_hh, state, cell, steps);
        return std::pair(result.output, result.cells);
      },
      NoLock());
}

void add_attention(nb::module_& m) {
  m.def(
      "attention",
      [](const Columns& query, const Columns& key, const Columns& value, const Segments& segments,
         const AttentionOptions& options) {
        return attention(slice_of(query), slice_of(key), slice_of(value), segments, options);
      },
      NoLock());
  m.def(
      "attention_weights",
      [](const Columns& query, const Columns& key, const Segments& segments,
         const AttentionOptions& options) {
        return attention_weights(slice_of(query), slice_of(key), segments, options);
      },
      NoLock());
  m.def("rotary", &rotary, NoLock());
  m.def("dot_scores", &dot_scores, NoLock());
  m.def("additive_scores", &additive_scores, NoLock());
  for (const auto& [name, normaliser] : {std::pair{"range_softmax", Normaliser::softmax},
                                         {"range_sparsemax", Normaliser::sparsemax},
                                         {"range_relu", Normaliser::relu},
                                         {"range_sigmoid", Normaliser::sigmoid}})
    m.def(
        name,
        [normaliser = normaliser](const Tensor& scores, const KeyRanges& ranges) {
          return normalise(scores, ranges, normaliser);
        },
        NoLock());
  m.def("gaussian_weights", &gaussian_weights, NoLock());
  m.def("weighted_sum", &weighted_sum, NoLock());
  m.def("conv2d", &conv2d, NoLock());
  m.def("max_pool2d", &max_pool2d, NoLock());
  m.def("avg_pool2d", &avg_pool2d, NoLock());
}

/// Attention in plain loops, which check nothing: the fast operation checks the arguments first.
void add_reference(nb::module_& m) {
  m.def(
      "reference_attention",
      [](const Tensor& query, const Tensor& key, const Tensor& value, const Segments& segments,
         const AttentionOptions& options) {
        attention(query, key, value, segments, options);
        reference::AttentionResult result = reference::attention(query, key, value, segments, options);
        return std::pair(result.out, result.weights);
      },
      NoLock());
  m.def(
      "reference_attention_backward",
      [](const Tensor& dout, const Tensor& query, const Tensor& key, const Tensor& value,
         const Segments& segments, const AttentionOptions& options) {
        if (attention(query, key, value, segments, options).shape() != dout.shape())
          fail("reference.attention_backward: the gradient's shape {} differs from the query's shape {}",
               to_string(dout.shape()), to_string(query.shape()));
        const reference::AttentionGradients d =
            reference::attention_backward(dout, query, key, value, segments, options);
        return std::tuple(d.query, d.key, d.value);
      },
      NoLock());
}

/// Only in double precision.
void add_gradcheck(nb::module_& m) {
  m.def("gradcheck",
        [](const nb::callable& function, const std::vector<Tensor>& inputs, double step, double tolerance,
           Index every_entry_up_to, int directions, std::uint64_t seed, std::vector<std::string> names) {
          const auto call = [&](const std::vector<Tensor>& given) {
            const nb::gil_scoped_acquire acquire;
            nb::list list;
            for (const Tensor& tensor : given) list.append(tensor);
            const nb::object found = function(*list);
            Tensor tensor;
            if (found.is_none() || !nb::try_cast(found, tensor))
              throw nb::type_error(fmt::format("gradcheck: the function must return a float64 tensor, got {}",
                                               nb::inst_name(found).c_str())
                                       .c_str());
            return tensor;
          };
          const GradcheckOptions options{.step = step,
                                         .tolerance = tolerance,
                                         .every_entry_up_to = every_entry_up_to,
                                         .directions = directions,
                                         .seed = seed,
                                         .names = std::move(names)};
          const auto check = [&] {
            const GradientAccess access;
            return gradcheck(call, inputs, options);
          };
          const GradcheckResult found = check();
          nb::list each;
          for (const GradcheckResult::Input& input : found.inputs)
            each.append(result("GradcheckInput", input.name, input.error, input.checked, input.kinks));
          return result("GradcheckResult", found.error, found.passed, found.checked, found.kinks, found.worst,
                        each, table_of(found));
        });
}

}  // namespace

void add_operations(nb::module_& m) {
  add_tensors(m);
  add_elements(m);
  add_shapes(m);
  add_layers(m);
  add_attention(m);
  add_reference(m);
  if (sizeof(Real) == sizeof(double)) add_gradcheck(m);
}

}  // namespace regard::python::REGARD_PRECISION
