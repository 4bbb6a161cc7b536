#pragma once

#include <memory>
#include <nanobind/ndarray.h>
#include <utility>
#include <vector>

#include "apps/python/src/casters.h"
#include "autograd/shape.h"

namespace regard::python {

/// The shape of an array of NumPy.
template <class Array>
Shape shape_of(const Array& array) {
  return Shape(std::vector<Index>(array.shape_ptr(), array.shape_ptr() + array.ndim()));
}

/// A NumPy array over numbers that `owner` keeps.
template <class T>
nb::object array_over(T* data, const Shape& shape, const nb::object& owner) {
  const std::vector<std::size_t> extents(shape.extents().begin(), shape.extents().end());
  return nb::ndarray<nb::numpy, T>(data, extents.size(), extents.data(), owner).cast();
}

/// The numbers as a NumPy array that owns them.
template <class T>
nb::object to_array(std::vector<T> numbers, const Shape& shape) {
  auto kept = std::make_unique<std::vector<T>>(std::move(numbers));
  T* const data = kept->data();
  const nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return array_over(data, shape, owner);
}

}  // namespace regard::python
