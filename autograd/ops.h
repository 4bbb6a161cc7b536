#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/machine/random.h"
#include "autograd/machine/real.h"
#include "autograd/tensor.h"

// The operations on tensors. Attention, convolutions, recurrences and the scores of pairs have headers of
// their own in autograd/ops.

namespace regard { inline namespace REGARD_PRECISION {

/// a + b. Two operands are broadcast against each other: trailing axes are matched, an extent of 1 is
/// repeated. Throws Error naming the operation and both shapes when they do not match.
Tensor add(const Tensor& a, const Tensor& b);
Tensor subtract(const Tensor& a, const Tensor& b);  ///< a - b, broadcast as in add
Tensor multiply(const Tensor& a, const Tensor& b);  ///< a b, element by element, broadcast as in add
Tensor divide(const Tensor& a, const Tensor& b);    ///< a / b, element by element, broadcast as in add

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }       ///< add()
inline Tensor operator-(const Tensor& a, const Tensor& b) { return subtract(a, b); }  ///< subtract()
inline Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }  ///< multiply()
inline Tensor operator/(const Tensor& a, const Tensor& b) { return divide(a, b); }    ///< divide()
inline Tensor operator+(const Tensor& a, Real b) { return add(a, Tensor::scalar(b)); }
inline Tensor operator-(const Tensor& a, Real b) { return subtract(a, Tensor::scalar(b)); }
inline Tensor operator*(const Tensor& a, Real b) { return multiply(a, Tensor::scalar(b)); }
inline Tensor operator/(const Tensor& a, Real b) { return divide(a, Tensor::scalar(b)); }
inline Tensor operator+(Real a, const Tensor& b) { return add(Tensor::scalar(a), b); }
inline Tensor operator-(Real a, const Tensor& b) { return subtract(Tensor::scalar(a), b); }
inline Tensor operator*(Real a, const Tensor& b) { return multiply(Tensor::scalar(a), b); }
inline Tensor operator/(Real a, const Tensor& b) { return divide(Tensor::scalar(a), b); }
inline Tensor operator-(const Tensor& a) { return multiply(a, Tensor::scalar(-1)); }
/// x += y is x = x + y: a new tensor. Other handles keep the old one. y is a tensor or a number.
inline Tensor& operator+=(Tensor& x, const auto& y) { return x = x + y; }
inline Tensor& operator-=(Tensor& x, const auto& y) { return x = x - y; }  ///< x = x - y, as +=
inline Tensor& operator*=(Tensor& x, const auto& y) { return x = x * y; }  ///< x = x * y, as +=
inline Tensor& operator/=(Tensor& x, const auto& y) { return x = x / y; }  ///< x = x / y, as +=

// Functions of each element.
Tensor exp(const Tensor& x);                 ///< e^x of each element
Tensor log(const Tensor& x);                 ///< the natural logarithm of each element
Tensor sqrt(const Tensor& x);                ///< the square root of each element
Tensor pow(const Tensor& x, Real exponent);  ///< x^exponent of each element

// Activation functions of each element.

/// max(0, x)
Tensor relu(const Tensor& x);
Tensor tanh(const Tensor& x);  ///< the hyperbolic tangent of each element
/// 1 / (1 + e^-x)
Tensor sigmoid(const Tensor& x);
/// x Phi(x) with the normal distribution function Phi, not its tanh approximation (Hendrycks and Gimpel
/// 2016).
Tensor gelu(const Tensor& x);
/// x / (1 + e^-x), also called swish (Ramachandran et al. 2017).
Tensor silu(const Tensor& x);

// Reductions.

struct Reduction {
  /// Which axes to reduce; empty: all. Negative axes count from the end.
  std::vector<Index> axes = {};
  /// Leave reduced axes in the shape with extent 1.
  bool keep_axes = false;
};

Tensor sum(const Tensor& x, const Reduction& reduction = {});   ///< the sum over the axes of `reduction`
Tensor mean(const Tensor& x, const Reduction& reduction = {});  ///< the mean over the axes of `reduction`
/// If the largest value occurs more than once, its occurrences share the gradient equally (as in torch.amax).
/// NaN counts as the largest. Throws Error if there is nothing to take the maximum of.
Tensor max(const Tensor& x, const Reduction& reduction = {});

// Shapes. Negative axes count from the end. All throw Error naming the operation and the shapes when they do
// not fit.

/// The same elements in another shape of the same size; shares memory.
Tensor reshape(const Tensor& x, const Shape& shape);
/// Exchanges two axes.
Tensor transpose(const Tensor& x, Index axis_a = -2, Index axis_b = -1);
/// Elements begin .. end (exclusive) along an axis; along axis 0 it shares memory.
Tensor slice(const Tensor& x, Index axis, Index begin, Index end);
/// The tensors one after another along an axis; all other extents must be equal.
Tensor concat(const std::vector<Tensor>& tensors, Index axis);
/// Slices indices[0], indices[1], … along an axis; an index may occur many times.
Tensor gather(const Tensor& x, Index axis, std::span<const std::int32_t> indices);

// Choices. Both functions choose one position of each row, where a row is the last axis of x. They return the
// positions of all rows in order and have no gradient.

/// The position of the largest value of each row; of equal values, the first. Throws Error if a row has no
/// values, and NotFinite for NaN.
std::vector<std::int32_t> argmax(const Tensor& x);

/// Draws a position of each row with a probability proportional to its value, like torch.multinomial with one
/// sample per row: multinomial(softmax(logits / temperature), random) draws from logits. Throws Error for a
/// negative value and for a row without a positive value, and NotFinite for NaN and infinity.
std::vector<std::int32_t> multinomial(const Tensor& x, Random& random);

/// Matrix product: [m, k] x [k, n] -> [m, n]. Leading axes, if there are more than two axes, count matrices
/// and must be equal in both: [batch, m, k] x [batch, k, n]. Or b is one matrix, by which all of a's are
/// multiplied. Throws Error naming both shapes.
Tensor matmul(const Tensor& a, const Tensor& b);

/// y = x weight^T + bias, the layout of torch.nn.Linear: x[rows, in], weight[out, in], bias[out] (or empty).
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias);

/// y = dropout(max(0, x weight^T + bias)): the first half of the feed-forward network (Vaswani et al. 2017,
/// eq. 2). Bias, ReLU and dropout are applied to each block of rows while it is in the cache.
Tensor linear_relu(const Tensor& x, const Tensor& weight, const Tensor& bias, DropoutMask dropout = {});
/// The same with the activations GELU and SiLU: y = dropout(gelu(x weight^T + bias)).
Tensor linear_gelu(const Tensor& x, const Tensor& weight, const Tensor& bias, DropoutMask dropout = {});
/// y = dropout(silu(x weight^T + bias)).
Tensor linear_silu(const Tensor& x, const Tensor& weight, const Tensor& bias, DropoutMask dropout = {});

/// Rows of weight[vocabulary, d_model], one for each id, times `scale` (Vaswani et al. 2017 section 3.4
/// multiplies by sqrt(d_model)). Throws Error for an id outside the vocabulary.
Tensor embedding(const Tensor& weight, std::span<const std::int32_t> ids, Real scale = 1);

/// Softmax over the last axis: y_i = e^(x_i) / sum_j e^(x_j).
Tensor softmax(const Tensor& x);
/// log(softmax(x)) over the last axis, without overflow.
Tensor log_softmax(const Tensor& x);

/// The part of each row of logits that a search needs.
struct LargestLogits {
  Index count;                          ///< how many of each row
  std::vector<Real> logits;             ///< [rows, count], largest first, equal ones by column
  std::vector<std::int32_t> positions;  ///< [rows, count]: their columns
  std::vector<Real> log_sum_exp;        ///< [rows]: a logit minus this is log(softmax)
};

/// The `count` largest logits of each row of [rows, columns], or all if there are fewer columns, without
/// computing the softmax of the others. Has no gradient. Throws Error unless count is at least 1, and
/// NotFinite for a row that holds a number that is not finite.
LargestLogits largest_logits(const Tensor& x, Index count);

constexpr Real layer_norm_epsilon = Real(1e-5);  // as torch.nn.LayerNorm

/// Layer normalisation over the last axis (Ba et al. 2016, eq. 4): (x - mean) / sqrt(variance + epsilon)
/// * weight + bias, the variance dividing by the extent: weight[columns], bias[columns] (or empty).
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                  Real epsilon = layer_norm_epsilon);

/// layer_norm(x + dropout(sublayer)) in one pass: the end of every post-norm sublayer
/// (Vaswani et al. 2017, section 3.1). x and sublayer have the same shape.
Tensor residual_layer_norm(const Tensor& x, const Tensor& sublayer, DropoutMask dropout, const Tensor& weight,
                           const Tensor& bias, Real epsilon = layer_norm_epsilon);

/// Sets each value to 0 with the given probability p and scales the others by 1/(1-p)
/// (Srivastava et al. 2014). All axes but the last count as rows of the random decision.
Tensor dropout(const Tensor& x, DropoutMask dropout);

/// Throws Error naming `op` unless the probability is at least 0 and below 1. Every operation with a dropout
/// calls it.
void check_dropout(const Operation& op, DropoutMask dropout);

/// x + dropout(sublayer): the end of a pre-norm sublayer.
Tensor residual_dropout(const Tensor& x, const Tensor& sublayer, DropoutMask dropout);

struct CrossEntropyOptions {
  /// The target distribution is (1 - label_smoothing) onehot + label_smoothing / vocabulary, as PyTorch's
  /// (Szegedy et al. 2016, section 7). In [0, 1).
  Real label_smoothing = 0;
  /// Divisor of the sum over targets. 0: the number of targets. Micro-batches of one optimiser step give the
  /// number of targets of the whole step, so that their gradients add up to the gradient of one large batch.
  Index divide_by = 0;
  /// Receives log softmax(logits)_target of each row, [targets], without a gradient, unless it is null.
  Tensor* log_probabilities = nullptr;
};

/// Mean of -sum_i q_i log softmax(logits)_i over the rows of logits[targets, vocabulary]. A scalar.
/// Throws Error for a target outside the vocabulary, or when there are no targets.
Tensor cross_entropy(const Tensor& logits, std::span<const std::int32_t> targets,
                     const CrossEntropyOptions& options = {});

/// cross_entropy(x weight^T + bias, targets) for x[targets, d_model], weight[vocabulary, d_model] and
/// bias[vocabulary] (or empty), one block of rows at a time: the matrix of all logits never exists. The
/// gradients are computed together with the loss.
Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias,
                            std::span<const std::int32_t> targets, const CrossEntropyOptions& options = {});
inline Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight,
                                   std::span<const std::int32_t> targets,
                                   const CrossEntropyOptions& options = {}) {
  return linear_cross_entropy(x, weight, {}, targets, options);
}

}}  // namespace regard::REGARD_PRECISION
