#include "autograd/ops/linear_products.h"

#include <algorithm>

#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/kernels/rounding.h"
#include "autograd/precision.h"
#include "autograd/profile.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

// Only the float library rounds (Autocast refuses in the double library, and so does quantise()). The double
// library compiles these lines and never runs them.
float* floats(Real* x) { return reinterpret_cast<float*>(x); }
const float* floats(const Real* x) { return reinterpret_cast<const float*>(x); }

/// The copy that the thread's Autocast knows, or a new one.
template <class Copy, class Make>
std::shared_ptr<const Copy> copy(const Tensor& tensor, RoundedCopies::Use use, const Make& make) {
  Autocast* const autocast = Autocast::current();
  return autocast != nullptr ? autocast->copies().find_or_make<Copy>(tensor, use, make) : make();
}

std::shared_ptr<const LowPrecisionWeight> copy_of_weight(const Tensor& weight, RoundedCopies::Use use) {
  return copy<LowPrecisionWeight>(weight, use, [&] {
    return std::make_shared<LowPrecisionWeight>(
        floats(weight.data()), weight.size(0), weight.size(1),
        LowPrecisionWeight::Uses{.product = use == RoundedCopies::Use::product,
                                 .gradient = use == RoundedCopies::Use::gradient});
  });
}

}  // namespace

std::shared_ptr<const LowPrecisionWeight> low_precision_copy(const Tensor& weight) {
  if (weight.low_precision()) return weight.low_precision();
  if (product_precision() == Precision::float32) return nullptr;
  return copy_of_weight(weight, RoundedCopies::Use::product);
}

std::shared_ptr<const LowPrecisionWeight> gradient_copy(const Tensor& weight) {
  return copy_of_weight(weight, RoundedCopies::Use::gradient);
}

RoundedMatrix rounded(const Real* x, Index rows, Index columns) {
  return RoundedMatrix(floats(x), rows, columns);
}

std::shared_ptr<const RoundedMatrix> rounded(const Tensor& x) {
  return copy<RoundedMatrix>(x, RoundedCopies::Use::rows, [&] {
    return std::make_shared<RoundedMatrix>(floats(x.data()), x.size() / std::max<Index>(x.size(-1), 1),
                                           x.size(-1));
  });
}

void rounded_relu_dropout_backward(Real* dy, const RoundedMatrix& y, Real keep_scale) {
  kernels::rounded_relu_dropout_backward(floats(dy), y.row(0), static_cast<float>(keep_scale),
                                         y.rows * y.columns);
}

void look_up(const Tensor& y, const Tensor& weight, std::span<const std::int32_t> ids, Real scale) {
  weight.low_precision()->gather(floats(y.data()), ids, static_cast<float>(scale));
}

LinearProducts::LinearProducts(const Tensor& x, const Tensor& weight)
    : rows_(x.size(0)),
      in_(x.size(1)),
      out_(weight.size(0)),
      weight_(weight),
      copy_(low_precision_copy(weight)) {
  if (rounds() && copy_->precision() == Precision::bfloat16)
    rounded_x_ = rounded(x);
  else
    x_ = x;
  if (rounds() && !copy_->uses().product)
    fail("the weight of shape {} is not packed for products; call nn::set_precision",
         to_string(weight.shape()));
  if (weight.low_precision() && needs_gradient({x}))
    fail(
        "the weight of shape {} is a copy in {} for translation, without gradients; load the model in "
        "float32",
        to_string(weight.shape()), to_string(copy_->precision()));
}

LinearProducts::Gradient LinearProducts::gradient(const Real* dy, Index rows) const {
  return {{dy, out_}, rows, rounds() ? rounded(dy, rows, out_) : RoundedMatrix()};
}

/// kernels::product counts for itself.
void LinearProducts::count_rounded(Index rows) const {
  if (rounds()) count_flops(2.0 * static_cast<double>(rows * in_ * out_));
}

void LinearProducts::forward(Index first, Index count, kernels::Matrix y,
                             const kernels::BlockDone& done) const {
  count_rounded(count);
  if (!rounds())
    kernels::product(blas::Transposed::b, count, out_, in_, {x_.data() + first * in_, in_},
                     {weight_.data(), in_}, y, blas::Store::overwrite, done);
  else if (rounded_x_)
    copy_->product(*rounded_x_, first, count, y, done);
  else
    copy_->product(floats(x_.data()) + first * in_, count, y, done);
}

void LinearProducts::input_gradient(const Gradient& dy, kernels::Matrix dx, blas::Store store) const {
  count_rounded(dy.rows);
  if (rounds())
    gradient_copy(weight_)->input_gradient(dy.rounded, dx, store);
  else
    kernels::product(blas::Transposed::none, dy.rows, in_, out_, dy.values, {weight_.data(), in_}, dx, store);
}

void LinearProducts::weight_gradient(const Gradient& dy, Index first, kernels::Matrix dweight,
                                     blas::Store store) const {
  count_rounded(dy.rows);
  if (rounds())
    regard::weight_gradient(dy.rounded, *rounded_x_, first, dweight, store);
  else
    kernels::product(blas::Transposed::a, out_, in_, dy.rows, dy.values, {x_.data() + first * in_, in_},
                     dweight, store);
}

}}  // namespace regard::REGARD_PRECISION
