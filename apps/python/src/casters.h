#pragma once

#include <concepts>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <optional>
#include <string_view>

#include "autograd/kernels/planes.h"
#include "autograd/kernels/segments.h"
#include "autograd/tensor.h"

// How values cross the border between Python and C++. Here are the types that do not depend on the precision.

namespace nb = nanobind;

namespace regard::python {

/// What Python sees as regard.Tensor. The classes that hold a Tensor of one precision are derived from it.
class AnyTensor {
 public:
  explicit AnyTensor(bool is_double) : is_double_(is_double) {}
  AnyTensor(const AnyTensor&) = delete;
  AnyTensor& operator=(const AnyTensor&) = delete;
  virtual ~AnyTensor() = default;

  bool is_double() const { return is_double_; }
  const char* dtype() const { return is_double_ ? "float64" : "float32"; }

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
  if (PyFloat_Check(object.ptr())) return PyFloat_AsDouble(object.ptr());
  if (!PyLong_Check(object.ptr())) {
    const nb::str module(object.type().attr("__module__"));
    if (module.c_str() != std::string_view("numpy") || nb::hasattr(object, "__len__")) return {};
  }
  const double value = PyFloat_AsDouble(object.ptr());
  if (!PyErr_Occurred()) return value;
  PyErr_Clear();
  return {};
}

/// An argument that Python has given, or a result for Python. The operation looks at it, and says what is
/// wrong.
struct Given {
  nb::object object;
  static bool accepts(nb::handle) { return true; }
};
/// A tensor, or None for an empty one, where an argument may be None.
struct GivenTensor : Given {
  static constexpr auto name = nb::detail::const_name("Tensor");
};
/// A tensor or a number. Of other objects, Python asks the object, unless it is an array.
struct GivenOperand : Given {
  static constexpr auto name = nb::detail::const_name("Tensor | float");
  static bool accepts(nb::handle object) {
    return any_tensor(object) != nullptr || number_of(object) || nb::hasattr(object, "__array__");
  }
};
/// A matrix, or some of its columns: (matrix, first, columns).
struct GivenColumns : Given {
  static constexpr auto name = nb::detail::const_name("Tensor | tuple[Tensor, int, int]");
};
/// Which queries look at which keys: segments, or the offsets of sentences that look at themselves.
struct GivenSegments : Given {
  static constexpr auto name = nb::detail::const_name(
      "collections.abc.Sequence[tuple[int, int, int, int]] | collections.abc.Sequence[int]");
};
/// Whole numbers: a list, an array or a tensor of any shape.
struct GivenIds : Given {
  static constexpr auto name = nb::detail::const_name("collections.abc.Iterable[typing.Any]");
};
/// Values and their positions.
struct GivenChosen : Given {
  static constexpr auto name = nb::detail::const_name("regard.results.Chosen");
};
/// An array of NumPy, or a number.
struct GivenArray : Given {
  static constexpr auto name = nb::detail::const_name("typing.Any");
};

inline namespace REGARD_PRECISION {
/// The object of Python that holds a tensor; None for an empty one.
nb::object to_python(const Tensor& tensor);
/// The tensor that an object of Python holds; null if it has the other precision.
const Tensor* tensor_of(const AnyTensor& tensor);
}  // namespace REGARD_PRECISION

}  // namespace regard::python

namespace nanobind::detail {

template <std::derived_from<regard::python::Given> Given>
struct type_caster<Given> {
  NB_TYPE_CASTER(Given, Given::name)

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (!Given::accepts(source)) return false;
    value.object = borrow(source);
    return true;
  }
  static handle from_cpp(const Given& given, rv_policy, cleanup_list*) noexcept {
    return handle(given.object).inc_ref();
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

/// A struct with these members, for which Python has a tuple.
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

}  // namespace nanobind::detail
