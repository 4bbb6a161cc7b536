#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "apps/python/src/arrays.h"
#include "apps/python/src/casters.h"
#include "apps/python/src/module.h"
#include "autograd/ops/attention.h"
#include "autograd/tensor.h"

// How the arguments and results of operations cross the border.

namespace regard::python { inline namespace REGARD_PRECISION {

/// How values of the type T cross the border: the type that Python's side has, and both directions. Errors
/// name `op`.
template <class T>
struct Crossing {
  using Given = T;
  static const T& in(const T& given, const char*) { return given; }
  static T out(T result) { return result; }
};

template <>
struct Crossing<void> {
  using Given = void;
};

template <>
struct Crossing<Real> {
  using Given = double;
  static Real in(double given, const char*) { return static_cast<Real>(given); }
  static double out(Real result) { return static_cast<double>(result); }
};

constexpr const char* real_name = sizeof(Real) == sizeof(double) ? "float64" : "float32";

template <>
struct Crossing<Tensor> {
  using Given = GivenTensor;
  static const Tensor& in(const GivenTensor& given, const char* op) {
    static const Tensor none;
    if (given.object.is_none()) return none;
    const AnyTensor* const tensor = any_tensor(given.object);
    if (tensor != nullptr && tensor_of(*tensor) != nullptr) return *tensor_of(*tensor);
    if (tensor != nullptr)
      fail("{}: a tensor of {} in the place of one of {}", op, tensor->dtype(), real_name);
    throw nb::type_error(
        fmt::format("{}: a {} in the place of a tensor; regard.tensor(x, dtype=regard.{}) makes a tensor", op,
                    nb::inst_name(given.object).c_str(), real_name)
            .c_str());
  }
  static GivenTensor out(const Tensor& result) { return {{to_python(result)}}; }
};

template <class T>
requires(!std::is_same_v<typename Crossing<T>::Given, T>) struct Crossing<std::vector<T>> {
  using Given = std::vector<typename Crossing<T>::Given>;
  static std::vector<T> in(const Given& given, const char* op) {
    std::vector<T> values;
    for (const auto& each : given) values.push_back(Crossing<T>::in(each, op));
    return values;
  }
  static Given out(const std::vector<T>& result) {
    Given given;
    for (const T& each : result) given.push_back(Crossing<T>::out(each));
    return given;
  }
};

template <class... T>
struct Crossing<std::tuple<T...>> {
  using Given = std::tuple<typename Crossing<T>::Given...>;
  static Given out(std::tuple<T...> result) {
    return std::apply([](auto&... each) { return Given{Crossing<T>::out(std::move(each))...}; }, result);
  }
};

/// A tensor, an array of NumPy, which becomes one of this precision, or a number, which is a tensor without
/// axes here.
struct Operand {
  Tensor tensor;
  bool is_number;
};
template <>
struct Crossing<Operand> {
  using Given = GivenOperand;
  static Operand in(const GivenOperand& given, const char* op) {
    if (const AnyTensor* const tensor = any_tensor(given.object)) return {*tensor_of(*tensor), false};
    if (const std::optional<double> number = number_of(given.object))
      return {Tensor::scalar(static_cast<Real>(*number)), true};
    if (nb::hasattr(given.object, "__array__")) {
      const nb::object made = nb::module_::import_("regard").attr("tensor")(given.object, real_name);
      return {*tensor_of(*any_tensor(made)), false};
    }
    return {Crossing<Tensor>::in({{given.object}}, op), false};
  }
};

template <>
struct Crossing<ColumnSlice> {
  using Given = GivenColumns;
  static ColumnSlice in(const GivenColumns& given, const char* op) {
    std::tuple<GivenTensor, Index, Index> columns;
    const bool some = PyTuple_Check(given.object.ptr()) && nb::try_cast(given.object, columns);
    const auto& [part_of, first, width] = columns;
    const Tensor& matrix = Crossing<Tensor>::in(some ? part_of : GivenTensor{{given.object}}, op);
    if (!matrix || matrix.rank() != 2)
      fail(
          "{}: query, key and value are matrices, [rows, width], not of the shape {}; reshape(-1, width) "
          "packs a batch, and `segments` are the offsets of its sentences",
          op, matrix ? to_string(matrix.shape()) : "of None");
    return some ? ColumnSlice(matrix, first, width) : ColumnSlice(matrix);
  }
};

/// The offsets of packed sentences.
inline const std::vector<Index>& from_zero(const std::vector<Index>& offsets) {
  if (offsets.empty() || offsets.front() != 0)
    fail("the offsets of sentences begin with 0, not with {}, and end with the number of rows",
         offsets.empty() ? "nothing" : std::to_string(offsets.front()));
  return offsets;
}

/// Segments. If they were offsets, each row of query and key belongs to a sentence.
struct Sentences {
  std::optional<Segments> segments = {};
  bool were_offsets = false;
};
template <>
struct Crossing<Sentences> {
  using Given = GivenSegments;
  static Sentences in(const GivenSegments& given, const char* op) {
    Segments segments;
    std::vector<Index> offsets;
    if (given.object.is_none()) return {};
    if (nb::try_cast(given.object, segments)) return {segments};
    if (nb::try_cast(given.object, offsets)) return {regard::segments(from_zero(offsets), offsets), true};
    throw nb::type_error(fmt::format("{}: the segments are a {}; give the offsets of the sentences, such as "
                                     "[0, 3, 5], or regard.segments(...)",
                                     op, nb::inst_name(given.object).c_str())
                             .c_str());
  }
};

struct Ids {
  operator std::span<const std::int32_t>() const { return numbers; }  // NOLINT: as operations take them
  std::vector<std::int32_t> numbers;
  Shape shape;
};
template <>
struct Crossing<Ids> {
  using Given = GivenIds;
  static Ids in(const GivenIds& given, const char*) {
    Ids ids;
    if (PyList_Check(given.object.ptr()) && nb::try_cast(given.object, ids.numbers)) {
      ids.shape = Shape{to_index(ids.numbers.size())};
      return ids;
    }
    const auto array = nb::cast<nb::ndarray<const std::int32_t, nb::c_contig, nb::device::cpu>>(
        nb::module_::import_("regard.creation").attr("whole_numbers")(given.object));
    ids.numbers.assign(array.data(), array.data() + array.size());
    ids.shape = shape_of(array);
    return ids;
  }
};
template <>
struct Crossing<std::span<const std::int32_t>> : Crossing<Ids> {};

/// Numbers that become an array of NumPy (regard.results.Array); one alone becomes a number.
template <class Number>
struct Numbers {
  std::vector<Number> numbers;
  Shape shape;
};
template <class Number>
struct Crossing<Numbers<Number>> {
  using Given = GivenArray;
  static GivenArray out(Numbers<Number> result) {
    if (result.shape.rank() == 0) return {{nb::cast(result.numbers[0])}};
    const nb::object type = nb::module_::import_("regard.results").attr("Array");
    return {{to_array(std::move(result.numbers), result.shape).attr("view")(type)}};
  }
};

/// Values and their positions.
struct Chosen {
  Tensor values;
  Numbers<std::int32_t> positions;
};
template <>
struct Crossing<Chosen> {
  using Given = GivenChosen;
  static GivenChosen out(Chosen chosen) {
    return {{result("Chosen", to_python(chosen.values),
                    Crossing<Numbers<std::int32_t>>::out(std::move(chosen.positions)).object)}};
  }
};

/// One axis or several; all, if none is given.
using Axes = std::optional<std::variant<Index, std::vector<Index>>>;
inline std::vector<Index> axes_of(const Axes& axes) {
  if (!axes) return {};
  const Index* const one = std::get_if<Index>(&*axes);
  return one != nullptr ? std::vector{*one} : std::get<std::vector<Index>>(*axes);
}

/// Extents or axes, as f(2, 3) and f((2, 3)) give them.
struct Extents : std::vector<Index> {};
template <>
struct Crossing<Extents> {
  using Given = nb::args;
  static Extents in(const nb::args& given, const char* op) {
    const bool inside = given.size() == 1 && nb::hasattr(given[0], "__len__");
    Extents extents;
    if (!nb::try_cast(inside ? nb::borrow(given[0]) : nb::borrow(given),
                      static_cast<std::vector<Index>&>(extents)))
      throw nb::type_error(fmt::format("{0}: give whole numbers, as in {0}(x, 2, 3)", op).c_str());
    return extents;
  }
};

}}  // namespace regard::python::REGARD_PRECISION
