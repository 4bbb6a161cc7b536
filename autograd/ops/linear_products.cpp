#include "autograd/ops/linear_products.h"

#include "autograd/machine/surroundings.h"

namespace regard { inline namespace REGARD_PRECISION {

namespace {

class PlainProducts : public LinearProducts {
 public:
  PlainProducts(const Tensor& x, const Tensor& weight) : x_(x), weight_(weight) {}

  void forward(Index first, Index count, kernels::Matrix y, const kernels::BlockDone& done) const override {
    kernels::product(blas::Transposed::b, count, out(), in(), rows_of_x(first), weight(), y,
                     blas::Store::overwrite, done);
  }

  void backward(Index first, Index count, const Real* dy, GradSlot dx, GradSlot dweight) const override {
    const kernels::ConstMatrix rows_of_dy{dy, out()};
    if (dx)
      kernels::product(blas::Transposed::none, count, in(), out(), rows_of_dy, weight(), {dx.data, in()},
                       kernels::store(dx));
    if (dweight)
      kernels::product(blas::Transposed::a, out(), in(), count, rows_of_dy, rows_of_x(first),
                       {dweight.data, in()}, kernels::store(dweight));
  }

 private:
  Index in() const { return weight_.size(1); }
  Index out() const { return weight_.size(0); }
  kernels::ConstMatrix rows_of_x(Index first) const { return {x_.data() + first * in(), in()}; }
  kernels::ConstMatrix weight() const { return {weight_.data(), in()}; }

  Tensor x_, weight_;
};

}  // namespace

LinearWeight linear_weight(const Tensor& weight) {
  if (const auto& form = MatrixForm::of(weight)) return [form](const Tensor& x) { return form->with(x); };
  if (const auto* const rules = OnThread<const ProductRules>::innermost()) return rules->weight(weight);
  return [weight](const Tensor& x) { return std::make_shared<PlainProducts>(x, weight); };
}

SavedValues save_values(const Tensor& x) {
  if (const auto* const rules = OnThread<const ProductRules>::innermost()) return rules->save(x);
  return [x = x.detach()](Index begin, Index, Real*) { return x.data() + begin; };
}

Tensor MatrixForm::tensor(std::shared_ptr<const MatrixForm> form) {
  return Tensor(std::make_shared<Tensor::State>(Tensor::State{
      .shape = form->shape(), .value = nullptr, .data = nullptr, .node = nullptr, .form = std::move(form)}));
}

const std::shared_ptr<const MatrixForm>& MatrixForm::of(const Tensor& tensor) { return tensor.state().form; }

void MatrixForm::replace(const Tensor& tensor, std::shared_ptr<const MatrixForm> form) {
  tensor.values_changed();
  *tensor.state_ = {tensor.shape(), nullptr, nullptr, nullptr, tensor.version(), std::move(form)};
}

void take_values(const Tensor& tensor, const Tensor& other) {
  if (other.shape() != tensor.shape())
    fail("a tensor of shape {} cannot take the values of a tensor of shape {}", to_string(tensor.shape()),
         to_string(other.shape()));
  if (MatrixForm::of(other)) return MatrixForm::replace(tensor, MatrixForm::of(other));
  tensor.state_->value = other.state().value;
  tensor.state_->data = other.data();
  tensor.values_changed();
}

}}  // namespace regard::REGARD_PRECISION
