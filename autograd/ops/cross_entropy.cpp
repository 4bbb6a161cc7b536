#include <algorithm>
#include <numeric>

#include "autograd/graph.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/softmax.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "autograd/ops/linear_products.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

/// Rows of logits that exist at the same time. At a vocabulary of 10,000 that is 20 MB; larger blocks are no
/// faster.
constexpr Index largest_block = 512;

kernels::CrossEntropy check(const Operation& op, Index rows, Index vocabulary,
                            std::span<const std::int32_t> targets, const CrossEntropyOptions& options) {
  if (rows != to_index(targets.size()) || rows == 0)
    op.fail("{} rows and {} targets; there must be equally many, and at least one", rows, targets.size());
  if (!(options.label_smoothing >= 0 && options.label_smoothing < 1))
    op.fail("label_smoothing {} must be at least 0 and below 1", options.label_smoothing);
  for (std::size_t i = 0; i < targets.size(); ++i)
    if (targets[i] < 0 || targets[i] >= vocabulary)
      op.fail("target {} at row {} lies outside the vocabulary of {} entries", targets[i], i, vocabulary);
  if (options.divide_by < 0) op.fail("divide_by is {}; it must be at least 0", options.divide_by);
  const Index count = options.divide_by > 0 ? options.divide_by : rows;
  if (options.log_probabilities != nullptr) *options.log_probabilities = Tensor::empty({rows});
  return {targets.data(), options.label_smoothing, 1 / static_cast<Real>(count), false,
          options.log_probabilities != nullptr ? options.log_probabilities->data() : nullptr};
}

/// Summed in double, because there are thousands of terms of similar size.
Tensor total(const Tensor& losses) {
  const auto values = losses.values();
  return Tensor::scalar(static_cast<Real>(std::accumulate(values.begin(), values.end(), 0.0)));
}

}  // namespace

Tensor cross_entropy(const Tensor& logits, std::span<const std::int32_t> targets,
                     const CrossEntropyOptions& options) {
  const Operation op("cross_entropy");
  if (logits.rank() != 2)
    op.fail("logits of shape {} must be [targets, vocabulary]", to_string(logits.shape()));
  kernels::CrossEntropy settings = check(op, logits.size(0), logits.size(1), targets, options);
  settings.gradient = needs_gradient({logits});
  const Tensor losses = Tensor::empty({logits.size(0)}), dlogits = logits.clone();
  kernels::cross_entropy_rows(losses.data(), dlogits.data(), logits.size(0), logits.size(1), settings);
  // The kernel wrote dlogits = (softmax(logits) - q) / (number by which the sum is divided) over the copy of
  // the logits. q is the target distribution: 1 at the target, smoothed (autograd/kernels/softmax.h).
  return op.record(total(losses), {logits}, [dlogits](BackwardContext& context) {
    kernels::accumulate_scaled(context.input_grad(0), dlogits.data(), *context.output_grad(), dlogits.size());
  });
}

Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias,
                            std::span<const std::int32_t> targets, const CrossEntropyOptions& options) {
  const Operation op("linear_cross_entropy");
  if (x.rank() != 2 || weight.rank() != 2 || x.size(1) != weight.size(1))
    op.fail(
        "x of shape {} and weight of shape {} do not fit: expected [targets, d_model] "
        "and [vocabulary, d_model]",
        to_string(x.shape()), to_string(weight.shape()));
  if (bias && bias.shape() != Shape{weight.size(0)})
    op.fail("bias of shape {} does not fit weight of shape {}: expected [{}]", to_string(bias.shape()),
            to_string(weight.shape()), weight.size(0));
  const Index rows = x.size(0), d_model = x.size(1), vocabulary = weight.size(0);
  kernels::CrossEntropy settings = check(op, rows, vocabulary, targets, options);
  settings.gradient = needs_gradient({x, weight, bias});

  const Index step = ceil_divide(rows, ceil_divide(rows, largest_block));
  const Tensor losses = Tensor::empty({rows}), logits = Tensor::empty({step, vocabulary});
  Tensor dx, dweight, dbias;  // computed ahead, scaled by the loss's own gradient in the backward
  if (settings.gradient && x.requires_grad()) dx = Tensor::empty(x.shape());
  if (settings.gradient && weight.requires_grad()) dweight = Tensor::empty(weight.shape());
  if (settings.gradient && bias && bias.requires_grad()) dbias = Tensor::empty(bias.shape());

  kernels::BlockDone add_bias;
  if (bias)
    add_bias = [&](const kernels::MatrixBlock& block) {
      kernels::add_bias(kernels::Matrix{logits.data(), vocabulary}, bias.data(), block);
    };

  const auto products = linear_weight(weight)(x);
  for (Index begin = 0; begin < rows; begin += step) {
    const Index count = std::min(step, rows - begin);
    const double flops = 2.0 * static_cast<double>(count * d_model * vocabulary);
    count_flops(flops);
    products->forward(begin, count, {logits.data(), vocabulary}, add_bias);
    settings.targets = targets.data() + begin;
    kernels::cross_entropy_rows(losses.data() + begin, logits.data(), count, vocabulary, settings);
    if (settings.log_probabilities != nullptr) settings.log_probabilities += count;
    // logits now holds its own gradient, (softmax(logits) - q) / divisor:  dx = dlogits W,  dW = dlogits^T x
    if (!settings.gradient) continue;
    count_flops((dx && dweight ? 2 : dx || dweight ? 1 : 0) * flops);
    const bool add = begin > 0;
    products->backward(begin, count, logits.data(),
                       dx ? GradSlot{.data = dx.data() + begin * d_model} : GradSlot{},
                       dweight ? GradSlot{.data = dweight.data(), .add = add} : GradSlot{});
    if (dbias)
      kernels::column_sums(GradSlot{.data = dbias.data(), .add = add}, logits.data(), count, vocabulary);
  }

  return op.record(total(losses), {x, weight, bias}, [dx, dweight, dbias](BackwardContext& context) {
    if (dx) kernels::accumulate_scaled(context.input_grad(0), dx.data(), *context.output_grad(), dx.size());
    if (dweight)
      kernels::accumulate_scaled(context.input_grad(1), dweight.data(), *context.output_grad(),
                                 dweight.size());
    if (dbias)
      kernels::accumulate_scaled(context.input_grad(2), dbias.data(), *context.output_grad(), dbias.size());
  });
}

}}  // namespace regard::REGARD_PRECISION
