// A tensor as Python sees it. This file is compiled once for each precision.
#include <sstream>

#include "apps/python/src/arrays.h"
#include "apps/python/src/casters.h"
#include "apps/python/src/locks.h"
#include "autograd/autograd.h"

namespace regard::python::inline REGARD_PRECISION {

namespace {

class Holder final : public AnyTensor {
 public:
  explicit Holder(Tensor tensor) : AnyTensor(sizeof(Real) == sizeof(double)), tensor_(std::move(tensor)) {}

  const Tensor& tensor() const { return tensor_; }

  const Shape& shape() const override { return tensor_.shape(); }
  bool requires_grad() const override { return tensor_.requires_grad(); }
  bool is_leaf() const override { return !requires_grad() || tensor_.node()->op == leaf_name; }
  void set_requires_grad(bool wanted) override {
    const GradientAccess access;
    tensor_.set_requires_grad(wanted);
  }
  nb::object grad() const override { return nb::cast(gradient()); }
  void zero_grad() const override {
    const GradientAccess access;
    tensor_.zero_grad();
  }
  void retain_grad() const override {
    const GradientAccess access;
    tensor_.retain_grad();
  }
  void backward(const AnyTensor* cotangent, bool retain_graph) const override {
    const Tensor given = cotangent != nullptr ? operand("backward", *cotangent) : Tensor();
    const GradientAccess access;
    regard::backward(tensor_, {.cotangent = given, .retain_graph = retain_graph});
  }
  nb::object detach() const override { return nb::cast(tensor_.detach()); }
  void values_changed() const override { tensor_.values_changed(); }
  nb::object clone() const override { return nb::cast(tensor_.clone().watch_values()); }
  double item() const override { return static_cast<double>(tensor_.item()); }
  nb::object numpy(bool writable) const override {
    const nb::capsule owner(new Tensor(tensor_), [](void* p) noexcept { delete static_cast<Tensor*>(p); });
    return writable ? array_over<Real>(tensor_.data(), shape(), owner)
                    : array_over<const Real>(tensor_.data(), shape(), owner);
  }
  std::string text() const override {
    std::ostringstream out;
    out << tensor_;
    return out.str();
  }

  nb::object binary(Binary op, nb::handle other, bool reversed) const override {
    static constexpr const char* names[] = {"add", "subtract", "multiply", "divide"};
    using Operation = Tensor (*)(const Tensor&, const Tensor&);
    static constexpr Operation operations[] = {regard::add, regard::subtract, regard::multiply,
                                               regard::divide};
    const auto index = static_cast<std::size_t>(op);
    Tensor second;
    if (const AnyTensor* const any = any_tensor(other))
      second = operand(names[index], *any);
    else if (const std::optional<double> number = number_of(other))
      second = Tensor::scalar(static_cast<Real>(*number));
    else
      return not_a_tensor(names[index], other);
    return nb::cast(without_lock(
        [&] { return reversed ? operations[index](second, tensor_) : operations[index](tensor_, second); }));
  }
  nb::object power(double exponent) const override {
    return nb::cast(without_lock([&] { return pow(tensor_, static_cast<Real>(exponent)); }));
  }
  nb::object matmul(nb::handle other) const override {
    const AnyTensor* const any = any_tensor(other);
    if (any == nullptr) return not_a_tensor("matmul", other);
    const Tensor& second = operand("matmul", *any);
    return nb::cast(without_lock([&] { return regard::matmul(tensor_, second); }));
  }

 private:
  Tensor gradient() const {
    const GradientAccess access;
    return tensor_.grad();
  }

  const Tensor& operand(const char* op, const AnyTensor& other) const {
    if (other.is_double() != is_double())
      fail("{}: one tensor is {} and the other {}; make both of one dtype: regard.tensor(x, dtype=...)", op,
           dtype(), other.dtype());
    return static_cast<const Holder&>(other).tensor_;
  }

  /// Python then asks the other object, unless it is an array.
  static nb::object not_a_tensor(const char* op, nb::handle other) {
    if (nb::hasattr(other, "__array__"))
      throw nb::type_error(fmt::format("{}: a tensor and a {}; make a tensor of it: regard.tensor(x)", op,
                                       nb::inst_name(other).c_str())
                               .c_str());
    return nb::borrow(Py_NotImplemented);
  }

  Tensor tensor_;
};

}  // namespace

nb::object to_python(const Tensor& tensor) {
  if (!tensor) return nb::none();
  return nb::cast(static_cast<AnyTensor*>(new Holder(tensor)), nb::rv_policy::take_ownership);
}

const Tensor* tensor_of(const AnyTensor& tensor) {
  const bool same = tensor.is_double() == (sizeof(Real) == sizeof(double));
  return same ? &static_cast<const Holder&>(tensor).tensor() : nullptr;
}

}  // namespace regard::python::REGARD_PRECISION
