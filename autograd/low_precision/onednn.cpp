// oneDNN, loaded at run time. It is written against the C interface of versions 2 and 3, which differ in how
// a product is described.
#include "autograd/low_precision/onednn.h"

#include <array>
#include <map>
#include <utility>

#include "autograd/low_precision/onednn_library.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"

namespace regard::onednn {

using low_precision::Strides;

namespace {

constexpr Strides packed{0, 0};
constexpr Index usual_rows = 256;  // the layout of a packed matrix is the best for products with many rows

MatrixTypes types_of(Precision precision) {
  return precision == Precision::bfloat16 ? MatrixTypes{dnnl_bf16, dnnl_bf16, dnnl_f32}
                                          : MatrixTypes{dnnl_u8, dnnl_s8, dnnl_s32};
}

Description strided(Index rows, Index columns, dnnl_data_type_t type, Strides strides) {
  return Description({rows, columns}, type, strides);
}

/// A product as it is most often: of many rows, with a B in the order that the library chooses.
ProductDescription usual_product(Precision precision, Index k, Index n) {
  const MatrixTypes types = types_of(precision);
  return {strided(usual_rows, k, types.a, {k, 1}), Description({k, n}, types.b),
          strided(usual_rows, n, types.c, {n, 1}), blas::Store::overwrite};
}

/// B as the library wants it for a product of this shape.
const Description& packed_description(Precision precision, Index k, Index n) {
  thread_local std::map<std::array<Index, 3>, Description> known;
  const std::array<Index, 3> key{static_cast<Index>(precision), k, n};
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, usual_product(precision, k, n).weights()).first->second;
}

/// A primitive of this thread with its operands.
const Primitive& primitive_for(const ProductShape& shape) {
  constexpr std::size_t most = 2000;  // shapes of all batches of a training; a primitive has some kilobytes
  thread_local std::map<ProductShape, Primitive> known;
  thread_local auto latest = known.end();  // the tiles of a product have one shape
  if (latest != known.end() && latest->first == shape) return latest->second;
  latest = known.find(shape);
  if (latest != known.end()) return latest->second;
  if (known.size() >= most) known.clear();
  const MatrixTypes types = types_of(shape.precision);
  const Description a = strided(shape.m, shape.k, types.a, shape.a);
  const Description b = shape.b == packed ? packed_description(shape.precision, shape.k, shape.n)
                                          : strided(shape.k, shape.n, types.b, shape.b);
  const Description c = strided(shape.m, shape.n, types.c, {shape.c_stride, 1});
  Primitive primitive(ProductDescription(a, b, c, shape.store));
  primitive.add_operand(DNNL_ARG_SRC, a);
  primitive.add_operand(DNNL_ARG_WEIGHTS, b);
  primitive.add_operand(DNNL_ARG_DST, c);
  latest = known.emplace(shape, std::move(primitive)).first;
  return latest->second;
}

bool processor_has_bfloat16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

std::string why_not(Precision precision) {
  if (!library().missing.empty()) return library().missing;
  if (precision == Precision::bfloat16 && !processor_has_bfloat16())
    return "this processor has no AVX512-BF16";
  try {
    const OneThread one_thread;
    const std::string implementation = usual_product(precision, 64, 64).implementation();
    if (implementation.starts_with("ref"))
      return fmt::format("{} has only a slow loop for this processor ({})", library().version,
                         implementation);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

Packed pack(Precision precision, Index k, Index n, const void* b, low_precision::Strides strides) {
  const OneThread one_thread;
  const Description& target = packed_description(precision, k, n);
  Packed result{allocate(target.bytes()), target.bytes()};
  const Description source = strided(k, n, types_of(precision).b, strides);
  Primitive reorder(ReorderDescription(source, target));
  reorder.add_operand(DNNL_ARG_FROM, source);
  reorder.add_operand(DNNL_ARG_TO, target);
  reorder.run({b, result.memory.get()});
  return result;
}

void product(const ProductShape& shape, const void* a, const void* b, void* c) {
  if (shape.m == 0 || shape.n == 0) return;
  const OneThread one_thread;
  primitive_for(shape).run({a, b, c});
}

std::string missing(Precision precision) {
  static const std::string bfloat16 = why_not(Precision::bfloat16);
  static const std::string int8 = why_not(Precision::int8);
  return precision == Precision::bfloat16 ? bfloat16 : int8;
}

std::string information() { return library().missing.empty() ? library().version : library().missing; }

}  // namespace regard::onednn
