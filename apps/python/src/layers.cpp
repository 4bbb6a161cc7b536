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
    both(to, "softmax", &along<softmax>, "x"_a, nb::arg(axis) = -1,
         R"(e^(x_i) / sum_j e^(x_j) along an axis, in the shape of x.

Error if there is no such axis. PyTorch: torch.softmax.

>>> regard.softmax(regard.tensor([[0.0, 0.0], [0.0, 1.0]]), dim=1)
Tensor[2, 2] [[0.5   , 0.5   ],
              [0.2689, 0.7311]])");
    both(to, "log_softmax", &along<log_softmax>, "x"_a, nb::arg(axis) = -1,
         R"(log(softmax(x)) along an axis, without overflow, in the shape of x.

Error if there is no such axis. PyTorch: torch.log_softmax.

>>> regard.log_softmax(regard.tensor([[0.0, 0.0]]), dim=1)
Tensor[1, 2] [[-0.6931, -0.6931]])");
  }
  function(
      to, "layer_norm",
      [](const Tensor& x, const Tensor& weight, const Tensor& bias, Real epsilon) {
        return layer_norm(x, weight ? weight : Tensor::full({x.size(-1)}, 1), bias, epsilon);
      },
      "x"_a, "weight"_a.none() = nb::none(), "bias"_a.none() = nb::none(), "epsilon"_a = 1e-5,
      R"((x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis (Ba et al. 2016).

x[..., columns], weight[columns], bias[columns] -> [..., columns]. Error if the shapes do not fit. PyTorch:
torch.nn.functional.layer_norm.

>>> regard.layer_norm(regard.tensor([[1.0, 2.0, 3.0]]))
Tensor[1, 3] [[-1.2247,  0.    ,  1.2247]])");
  function(
      to, "residual_layer_norm",
      [](const Tensor& x, const Tensor& sublayer, const Tensor& weight, const Tensor& bias, Real dropout,
         std::uint64_t key, Real epsilon) {
        return residual_layer_norm(x, sublayer, {dropout, key}, weight, bias, epsilon);
      },
      "x"_a, "sublayer"_a, "weight"_a, "bias"_a.none() = nb::none(), "dropout"_a = 0.0, "dropout_key"_a = 0,
      "epsilon"_a = 1e-5,
      R"(layer_norm(x + dropout(sublayer)): the end of a post-norm sublayer (Vaswani et al. 2017, section 3.1).

x[..., columns] and sublayer of the same shape, weight[columns], bias[columns] -> the shape of x. Error if the shapes do
not fit.

>>> regard.residual_layer_norm(regard.zeros(1, 3), regard.tensor([[1.0, 2.0, 3.0]]), regard.ones(3))
Tensor[1, 3] [[-1.2247,  0.    ,  1.2247]])");
}

void add_products(Operations& to) {
  function(to, "linear", &linear, "x"_a, "weight"_a, "bias"_a.none() = nb::none(),
           R"(x weight^T + bias: x[rows, in], weight[out, in], bias[out] -> [rows, out].

Error if the shapes do not fit. PyTorch: torch.nn.functional.linear.

>>> regard.linear(regard.ones(1, 2), regard.tensor([[1.0, 2.0]]), regard.tensor([0.5]))
Tensor[1, 1] [[3.5]])");
  const auto linear_then = [&](const char* name, const auto& f, const char* equation) {
    function(
        to, name,
        [f](const Tensor& x, const Tensor& weight, const Tensor& bias, Real dropout, std::uint64_t key) {
          return f(x, weight, bias, {dropout, key});
        },
        "x"_a, "weight"_a, "bias"_a.none() = nb::none(), "dropout"_a = 0.0, "dropout_key"_a = 0, equation);
  };
  linear_then("linear_relu", &linear_relu,  // Vaswani et al. 2017, eq. 2
              R"(dropout(max(0, x weight^T + bias)) in one pass: the first half of a feed-forward network.

x[rows, in], weight[out, in], bias[out] -> [rows, out]. Error if the shapes do not fit. Source: Vaswani et al. 2017,
eq. 2.

>>> regard.linear_relu(regard.ones(1, 2), regard.tensor([[1.0, 2.0], [-1.0, 0.0]]), regard.zeros(2))
Tensor[1, 2] [[3., 0.]])");
  linear_then("linear_gelu", &linear_gelu,
              R"(dropout(gelu(x weight^T + bias)) in one pass; shapes and errors as in linear_relu.

Source: Hendrycks and Gimpel 2016.

>>> regard.linear_gelu(regard.ones(1, 2), regard.tensor([[0.5, 0.5]]), regard.zeros(1))
Tensor[1, 1] [[0.8413]])");
  linear_then("linear_silu", &linear_silu,
              R"(dropout(silu(x weight^T + bias)) in one pass; shapes and errors as in linear_relu.

Source: Ramachandran et al. 2017.

>>> regard.linear_silu(regard.ones(1, 2), regard.tensor([[0.5, 0.5]]), regard.zeros(1))
Tensor[1, 1] [[0.7311]])");
  function(
      to, "embedding",
      [](const Tensor& weight, const Ids& ids, Real scale) {
        std::vector<Index> extents = ids.shape.extents();
        extents.push_back(weight.size(-1));
        return reshape(embedding(weight, ids, scale), Shape(std::move(extents)));
      },
      "weight"_a, "ids"_a, "scale"_a = 1.0,
      R"(The rows of weight[vocabulary, d_model] with these ids, times `scale`: ids of any shape -> [..., d_model].

Error if an id lies outside the vocabulary, TypeError if one is no whole number. PyTorch:
torch.nn.functional.embedding, with the arguments in the other order.

>>> regard.embedding(regard.eye(3), [2, 0])
Tensor[2, 3] [[0., 0., 1.],
              [1., 0., 0.]])");
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
      R"(The mean of -log softmax(logits)[target] over the rows of logits[targets, vocabulary]: a scalar.

nn.functional.cross_entropy has PyTorch's ignore_index and reduction. label_smoothing is PyTorch's. divide_by divides
the sum instead of the number of targets. With log_probabilities, returns a pair: the loss, and
log softmax(logits)[target] of each row, without a gradient. Error unless there is one target for each row, and each
lies in the vocabulary. PyTorch: torch.nn.functional.cross_entropy.

>>> round(regard.cross_entropy(regard.zeros(2, 4), [0, 3]).item(), 4)    # log 4
1.3863)");
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
      R"(cross_entropy(x weight^T, targets) for x[targets, d_model] and weight[vocabulary, d_model], some rows at a time.

The matrix of all logits never exists. Arguments and errors as in cross_entropy. Source: Vaswani et al. 2017, section
3.4, where the output layer has the weights of the embedding.

>>> round(regard.linear_cross_entropy(regard.zeros(2, 8), regard.ones(4, 8), [0, 3]).item(), 4)
1.3863)");
  function(
      to, "mse_loss",
      [](const Tensor& x, const Tensor& target) {
        if (x.shape() != target.shape())
          fail("mse_loss: the shapes {} and {} differ; reshape one of them", to_string(x.shape()),
               to_string(target.shape()));
        return mean(pow(x - target, 2));
      },
      "x"_a, "target"_a, R"(The mean of (x - target)^2 over all elements: a scalar.

Error unless both have the same shape. PyTorch: torch.nn.functional.mse_loss.

>>> regard.mse_loss(regard.tensor([1.0, 2.0]), regard.tensor([1.0, 4.0])).item()
2.0)");
}

}  // namespace

void add_layers(Operations& to) {
  add_rows(to);
  add_products(to);
  add_losses(to);
}

}}  // namespace regard::python::REGARD_PRECISION
