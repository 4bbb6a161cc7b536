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

class PlainWeight : public LinearWeight {
 public:
  explicit PlainWeight(const Tensor& weight) : weight_(weight) {}
  std::shared_ptr<const LinearProducts> with(const Tensor& x) const override {
    return std::make_shared<PlainProducts>(x, weight_);
  }

 private:
  Tensor weight_;
};

class PlainValues : public SavedValues {
 public:
  explicit PlainValues(const Tensor& x) : x_(x.detach()) {}
  const Real* read(Index begin, Index, Real*) const override { return x_.data() + begin; }

 private:
  Tensor x_;
};

}  // namespace

std::shared_ptr<const LinearWeight> linear_weight(const Tensor& weight) {
  if (weight.form() != nullptr) return weight.form();
  if (ProductRules* const rules = OnThread<ProductRules>::innermost()) return rules->weight(weight);
  return std::make_shared<PlainWeight>(weight);
}

std::shared_ptr<const SavedValues> save_values(const Tensor& x) {
  if (ProductRules* const rules = OnThread<ProductRules>::innermost()) return rules->save(x);
  return std::make_shared<PlainValues>(x);
}

}}  // namespace regard::REGARD_PRECISION
