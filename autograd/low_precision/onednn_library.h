#pragma once

// The objects of oneDNN's C interface that onednn.cpp needs, with owners. Versions 2 and 3 differ in how a
// matrix and a product are described; this file hides the difference.

#include <initializer_list>
#include <memory>
#include <oneapi/dnnl/dnnl.h>
#include <string>
#include <vector>

#include "autograd/low_precision/products.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/real.h"

namespace regard::onednn {

/// Loaded, or `missing` says why not.
struct Library {
  std::string missing, version;
};
const Library& library();

/// The types of the numbers of A, B and C.
struct MatrixTypes {
  dnnl_data_type_t a, b, c;
};

#if DNNL_VERSION_MAJOR >= 3
using DescriptionHandle = const_dnnl_memory_desc_t;
#else
using DescriptionHandle = const dnnl_memory_desc_t*;
#endif

/// How a matrix lies in memory.
class Description {
 public:
  struct Extents {
    Index rows, columns;
  };
  Description(Extents extents, dnnl_data_type_t type, low_precision::Strides strides);
  /// The library may choose the order.
  Description(Extents extents, dnnl_data_type_t type);
  /// A copy of the library's own description.
  explicit Description(DescriptionHandle handle);

  DescriptionHandle handle() const { return handle_.get(); }
  std::size_t bytes() const;

 private:
#if DNNL_VERSION_MAJOR >= 3
  std::shared_ptr<dnnl_memory_desc> handle_;
#else
  std::shared_ptr<dnnl_memory_desc_t> handle_;
#endif
};

/// What a primitive computes.
class PrimitiveDescription {
 public:
  dnnl_primitive_desc_t handle() const { return handle_.get(); }
  /// B as a product wants it.
  Description weights() const;
  /// The library's name for the code that computes it: "brg:avx512_core_vnni". "ref…" is a plain loop.
  std::string implementation() const;

 protected:
  std::shared_ptr<dnnl_primitive_desc> handle_;
};

/// C = A B (+ C)
class ProductDescription : public PrimitiveDescription {
 public:
  ProductDescription(const Description& a, const Description& b, const Description& c, blas::Store store);
};

/// Copies a matrix into another order.
class ReorderDescription : public PrimitiveDescription {
 public:
  ReorderDescription(const Description& from, const Description& to);
};

/// A function that the library has compiled, with places for its operands. For one thread.
class Primitive {
 public:
  explicit Primitive(const PrimitiveDescription& description);
  /// `argument` is one of the numbers DNNL_ARG_….
  void add_operand(int argument, const Description& description);
  /// Runs on operands in the order in which they were added.
  void run(std::initializer_list<const void*> operands) const;

 private:
  std::shared_ptr<dnnl_primitive> primitive_;
  std::vector<std::shared_ptr<dnnl_memory>> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
};

}  // namespace regard::onednn
