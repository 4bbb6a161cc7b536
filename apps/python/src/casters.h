#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "autograd/kernels/planes.h"
#include "autograd/kernels/segments.h"
#include "autograd/ops.h"
#include "autograd/ops/attention.h"
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
  /// Says that values were written: a backward() that needs the old ones throws Error.
  virtual void values_changed() const = 0;
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

/// The value of an int, a float, or a scalar of NumPy. A tensor has none here, although float(tensor) works.
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

/// A Python list or tuple of ints.
template <>
struct type_caster<regard::Shape> {
  NB_TYPE_CASTER(regard::Shape, io_name("collections.abc.Sequence[int]", "tuple[int, ...]"))
  using Extents = std::vector<regard::Index>;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Extents> extents;
    if (!extents.from_python(source, flags, cleanup)) return false;
    value = regard::Shape(std::move(extents.value));
    return true;
  }
  static handle from_cpp(const regard::Shape& shape, rv_policy policy, cleanup_list* cleanup) noexcept {
    return PySequence_Tuple(steal(make_caster<Extents>::from_cpp(shape.extents(), policy, cleanup)).ptr());
  }
};

template <>
struct type_caster<std::span<const std::int32_t>> {
  NB_TYPE_CASTER(std::span<const std::int32_t>, const_name("collections.abc.Sequence[int]"))

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    if (!ids.from_python(source, flags, cleanup)) return false;
    value = ids.value;
    return true;
  }
  make_caster<std::vector<std::int32_t>> ids;
};

/// A struct with these members, for which Python gives a tuple.
template <class Struct, class... Members>
struct struct_caster {
  NB_TYPE_CASTER(Struct, make_caster<std::tuple<Members...>>::Name)
  using Tuple = std::tuple<Members...>;

  bool from_python(handle source, std::uint32_t flags, cleanup_list* cleanup) noexcept {
    make_caster<Tuple> members;
    if (!members.from_python(source, flags, cleanup)) return false;
    value = std::apply([](auto&&... each) { return Struct{std::move(each)...}; },
                       members.operator cast_t<Tuple>());
    return true;
  }
};

template <>
struct type_caster<regard::Segment>
    : struct_caster<regard::Segment, regard::Index, regard::Index, regard::Index, regard::Index> {
  static handle from_cpp(const regard::Segment& s, rv_policy, cleanup_list*) noexcept {
    return make_tuple(s.query_begin, s.query_end, s.key_begin, s.key_end).release();
  }
};
template <>
struct type_caster<regard::Plane> : struct_caster<regard::Plane, regard::Index, regard::Index> {
  static handle from_cpp(const regard::Plane& plane, rv_policy, cleanup_list*) noexcept {
    return make_tuple(plane.height, plane.width).release();
  }
};
template <>
struct type_caster<regard::SlidingWindow>
    : struct_caster<regard::SlidingWindow, regard::Index, regard::Index, regard::Index> {};
template <>
struct type_caster<regard::Reduction> : struct_caster<regard::Reduction, std::vector<regard::Index>, bool> {};
template <>
struct type_caster<regard::DropoutMask> : struct_caster<regard::DropoutMask, regard::Real, std::uint64_t> {};
template <>
struct type_caster<regard::CrossEntropyOptions>
    : struct_caster<regard::CrossEntropyOptions, regard::Real, regard::Index> {};
template <>
struct type_caster<regard::AttentionOptions>
    : struct_caster<regard::AttentionOptions, regard::Index, bool, regard::DropoutMask, regard::Real,
                    std::vector<regard::Real>, regard::Tensor> {};

}  // namespace nanobind::detail
