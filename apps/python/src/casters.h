#pragma once

#include <concepts>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>
#include <utility>

#include "autograd/planes.h"
#include "autograd/segments.h"
#include "autograd/tensor.h"

// How values cross the border between Python and C++.

namespace nb = nanobind;

namespace regard::python {

/// What Python sees as regard.Tensor, in either precision. tensors.cpp, which is compiled once for each
/// precision, derives the class that holds a Tensor.
class AnyTensor {
 public:
  explicit AnyTensor(bool is_double) : is_double_(is_double) {}
  AnyTensor(const AnyTensor&) = delete;
  AnyTensor& operator=(const AnyTensor&) = delete;
  virtual ~AnyTensor() = default;

  bool is_double() const { return is_double_; }
  const char* dtype() const { return is_double_ ? "float64" : "float32"; }

  virtual const Shape& shape() const = 0;
  virtual bool requires_grad() const = 0;
  /// True if no recorded operation made this tensor.
  virtual bool is_leaf() const = 0;
  virtual void set_requires_grad(bool wanted) = 0;
  virtual nb::object grad() const = 0;
  virtual void zero_grad() const = 0;
  virtual void retain_grad() const = 0;
  virtual void backward(const AnyTensor* cotangent, bool retain_graph) const = 0;
  virtual nb::object detach() const = 0;
  virtual nb::object clone() const = 0;
  virtual double item() const = 0;
  /// A NumPy array over the same memory, which it keeps alive.
  virtual nb::object numpy(bool writable) const = 0;
  virtual std::string text() const = 0;

  enum class Binary { add, subtract, multiply, divide };
  /// `this op other`, or `other op this` if `reversed`, where `other` is a tensor or a number.
  virtual nb::object binary(Binary op, nb::handle other, bool reversed) const = 0;
  virtual nb::object power(double exponent) const = 0;
  virtual nb::object matmul(nb::handle other) const = 0;

 private:
  bool is_double_;
};

/// The tensor of a Python object, or null.
inline const AnyTensor* any_tensor(nb::handle object) {
  const AnyTensor* found = nullptr;
  return nb::try_cast<const AnyTensor*>(object, found) ? found : nullptr;
}

/// A Python number: int, float, or a scalar of NumPy. A tensor is none, although float(tensor) works.
struct Number {
  double value;
};
inline std::optional<double> number_of(nb::handle object) {
  if (PyFloat_Check(object.ptr())) return PyFloat_AS_DOUBLE(object.ptr());
  const std::string_view type = Py_TYPE(object.ptr())->tp_name;
  if (!PyLong_Check(object.ptr()) && !(type.starts_with("numpy.") && type != "numpy.ndarray")) return {};
  const double value = PyFloat_AsDouble(object.ptr());
  if (!PyErr_Occurred()) return value;
  PyErr_Clear();
  return {};
}

inline namespace REGARD_PRECISION {
/// The object of Python that holds a tensor; None for an empty one.
nb::object to_python(const Tensor& tensor);
/// The tensor that an object of Python holds; null if it has the other precision.
const Tensor* tensor_of(const AnyTensor& tensor);
}  // namespace REGARD_PRECISION

}  // namespace regard::python

namespace nanobind::detail {

/// None is an empty tensor.
template <>
struct has_arg_defaults<regard::Tensor> : std::true_type {};
template <>
struct type_caster<regard::Tensor> {
  NB_TYPE_CASTER(regard::Tensor, const_name("Tensor"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (source.is_none()) return true;
    const regard::python::AnyTensor* const any = regard::python::any_tensor(source);
    const regard::Tensor* const found = any == nullptr ? nullptr : regard::python::tensor_of(*any);
    if (found != nullptr) value = *found;
    return found != nullptr;
  }
  static handle from_cpp(const regard::Tensor& tensor, rv_policy, cleanup_list*) noexcept {
    return regard::python::to_python(tensor).release();
  }
};

template <>
struct type_caster<regard::python::Number> {
  NB_TYPE_CASTER(regard::python::Number, const_name("float"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    const std::optional<double> number = regard::python::number_of(source);
    if (number) value.value = *number;
    return number.has_value();
  }
  static handle from_cpp(regard::python::Number number, rv_policy, cleanup_list*) noexcept {
    return PyFloat_FromDouble(number.value);
  }
};

/// A tuple (query_begin, query_end, key_begin, key_end).
template <>
struct type_caster<regard::Segment> {
  NB_TYPE_CASTER(regard::Segment, const_name("tuple[int, int, int, int]"))
  using Four = std::tuple<regard::Index, regard::Index, regard::Index, regard::Index>;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Four> four;
    if (!four.from_python(source, flags, cleanup)) return false;
    std::apply([&](auto... ends) { value = {ends...}; }, four.operator cast_t<Four>());
    return true;
  }
  static handle from_cpp(const regard::Segment& s, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<Four>::from_cpp(Four{s.query_begin, s.query_end, s.key_begin, s.key_end}, policy,
                                       cleanup);
  }
};

/// A tuple (height, width).
template <>
struct type_caster<regard::Plane> {
  NB_TYPE_CASTER(regard::Plane, const_name("tuple[int, int]"))
  using Two = std::pair<regard::Index, regard::Index>;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Two> two;
    if (!two.from_python(source, flags, cleanup)) return false;
    const Two sides = two.operator cast_t<Two>();
    value = {sides.first, sides.second};
    return true;
  }
  static handle from_cpp(const regard::Plane& plane, rv_policy policy, cleanup_list* cleanup) noexcept {
    return make_caster<Two>::from_cpp(Two{plane.height, plane.width}, policy, cleanup);
  }
};

}  // namespace nanobind::detail
