// Operations that layers are made of, and losses. This file is compiled once for each precision.
#include "apps/python/src/bind.h"
#include "apps/python/src/module.h"
#include "autograd/autograd.h"

namespace regard::python { inline namespace REGARD_PRECISION {

namespace {

using namespace nb::literals;

/// An operation on the last axis, along any axis.
template <Tensor (*f)(const Tensor&)>
Tensor along(const Tensor& x, Index axis) {
  return axis == -1 ? f(x) : transpose(f(transpose(x, axis, -1)), axis, -1);
}

void add_rows(Operations& to) {
  for (const char* axis : {"axis", "dim"}) {
    both(to, "softmax", &along<softmax>, "x"_a, nb::arg(axis) = -1, "e^(x_i) / sum_j e^(x_j) along an axis.");
    both(to, "log_softmax", &along<log_softmax>, "x"_a, nb::arg(axis) = -1,
         "log(softmax(x)) along an axis, without overflow.");
  }
  function(
      to, "layer_norm",
      [](const Tensor& x, const Tensor& weight, const Tensor& bias, Real epsilon) {
        return layer_norm(x, weight ? weight : Tensor::full({x.size(-1)}, 1), bias, epsilon);
      },
      "x"_a, "weight"_a.none() = nb::none(), "bias"_a.none() = nb::none(), "epsilon"_a = 1e-5,
      "(x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis; weight[columns], "
      "bias[columns].");
  function(
      to, "residual_layer_norm",
      [](const Tensor& x, const Tensor& sublayer, const Tensor& weight, const Tensor& bias, Real dropout,
         std::uint64_t key, Real epsilon) {
        return residual_layer_norm(x, sublayer, {dropout, key}, weight, bias, epsilon);
      },
      "x"_a, "sublayer"_a, "weight"_a, "bias"_a.none() = nb::none(), "dropout"_a = 0.0, "dropout_key"_a = 0,
      "epsilon"_a = 1e-5,
      "layer_norm(x + dropout(sublayer)): the end of a post-norm sublayer. x and sublayer have the same "
      "shape.");
}

void add_products(Operations& to) {
  function(to, "linear", &linear, "x"_a, "weight"_a, "bias"_a.none() = nb::none(),
           "x weight^T + bias: x[rows, in], weight[out, in], bias[out] -> [rows, out], as torch.nn.Linear.");
  const auto linear_then = [&](const char* name, const auto& f, const char* equation) {
    function(
        to, name,
        [f](const Tensor& x, const Tensor& weight, const Tensor& bias, Real dropout, std::uint64_t key) {
          return f(x, weight, bias, {dropout, key});
        },
        "x"_a, "weight"_a, "bias"_a.none() = nb::none(), "dropout"_a = 0.0, "dropout_key"_a = 0, equation);
  };
  linear_then("linear_relu", &linear_relu,  // Vaswani et al. 2017, eq. 2
              "dropout(max(0, x weight^T + bias)): the first half of a feed-forward network, in one pass.");
  linear_then("linear_gelu", &linear_gelu, "dropout(gelu(x weight^T + bias)), in one pass.");
  linear_then("linear_silu", &linear_silu, "dropout(silu(x weight^T + bias)), in one pass.");
  function(
      to, "embedding",
      [](const Tensor& weight, const Ids& ids, Real scale) {
        std::vector<Index> extents = ids.shape.extents();
        extents.push_back(weight.size(-1));
        return reshape(embedding(weight, ids, scale), Shape(std::move(extents)));
      },
      "weight"_a, "ids"_a, "scale"_a = 1.0,
      "The rows of weight[vocabulary, d_model] with these ids, times `scale`: ids of any shape -> [..., "
      "d_model].");
}

/// One target for each row, as in PyTorch: those of other shapes would be read in an order that nobody sees.
const Ids& one_a_row(const char* op, const Ids& targets) {
  if (targets.shape.rank() != 1)
    fail(
        "{}: targets of the shape {}; give one for each row of the logits: logits.reshape(-1, vocabulary) "
        "and targets.ravel()",
        op, to_string(targets.shape));
  return targets;
}

template <class Loss>
GivenArray loss_of(const Loss& loss, CrossEntropyOptions options, bool with_rows) {
  Tensor rows;
  options.log_probabilities = &rows;
  const Tensor mean = without_lock(loss, options);
  return {{with_rows ? nb::make_tuple(to_python(mean), to_python(rows)) : to_python(mean)}};
}

void add_losses(Operations& to) {
  function(
      to, "cross_entropy",
      [](const Tensor& logits, const Ids& targets, Real label_smoothing, Index divide_by,
         bool log_probabilities) {
        return loss_of(
            [&](const CrossEntropyOptions& options) {
              return cross_entropy(logits, one_a_row("cross_entropy", targets), options);
            },
            {label_smoothing, divide_by}, log_probabilities);
      },
      "logits"_a, "targets"_a, "label_smoothing"_a = 0.0, "divide_by"_a = 0, "log_probabilities"_a = false,
      "The mean of -log softmax(logits)[target] over the rows of logits[targets, vocabulary]: a scalar.\n\n"
      "nn.functional.cross_entropy has PyTorch's ignore_index and reduction. label_smoothing is PyTorch's.\n"
      "divide_by divides the sum instead of the number of targets. With\n"
      "log_probabilities, returns a pair: the loss, and log softmax(logits)[target] of each row, without\n"
      "a gradient.");
  function(
      to, "linear_cross_entropy",
      [](const Tensor& x, const Tensor& weight, const Ids& targets, Real label_smoothing, Index divide_by,
         bool log_probabilities) {
        return loss_of(
            [&](const CrossEntropyOptions& options) {
              return linear_cross_entropy(x, weight, one_a_row("linear_cross_entropy", targets), options);
            },
            {label_smoothing, divide_by}, log_probabilities);
      },
      "x"_a, "weight"_a, "targets"_a, "label_smoothing"_a = 0.0, "divide_by"_a = 0,
      "log_probabilities"_a = false,
      "cross_entropy(x weight^T, targets) for x[targets, d_model] and weight[vocabulary, d_model], some\n"
      "rows at a time: the matrix of all logits never exists.");
  function(
      to, "mse_loss",
      [](const Tensor& x, const Tensor& target) {
        if (x.shape() != target.shape())
          fail("mse_loss: the shapes {} and {} differ; reshape one of them", to_string(x.shape()),
               to_string(target.shape()));
        return mean(pow(x - target, 2));
      },
      "x"_a, "target"_a, "The mean of (x - target)^2 over all elements. Both have the same shape.");
}

}  // namespace

void add_layers(Operations& to) {
  add_rows(to);
  add_products(to);
  add_losses(to);
}

}}  // namespace regard::python::REGARD_PRECISION
