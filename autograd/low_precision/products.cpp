#include "autograd/low_precision/products.h"

#include <cstdlib>
#include <string_view>
#include <vector>

#include "autograd/low_precision/onednn.h"
#include "autograd/machine/error.h"

namespace regard::low_precision {

namespace {

constexpr const char* emulation_variable = "REGARD_BFLOAT16";

constexpr Strides packed{0, 0};

/// The float32 with the bits of a bfloat16 in front.
float widen(bfloat16 x) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(x) << 16); }

/// A matrix in float32, row by row.
blas::Matrix<const float> widen(const Buffer& memory, Index rows, Index columns, const bfloat16* x,
                                Strides strides) {
  auto* const numbers = static_cast<float*>(memory.get());
  float* to = numbers;
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column)
      *to++ = widen(x[row * strides.row + column * strides.column]);
  return {numbers, columns};
}

void emulate(Index m, Index n, Index k, const bfloat16* a, Strides a_strides, const bfloat16* b,
             Strides b_strides, blas::Matrix<float> c, blas::Store store) {
  const Buffer wide_a = allocate(to_size(m * k) * sizeof(float)),
               wide_b = allocate(to_size(k * n) * sizeof(float));
  blas::gemm(blas::Transposed::none, m, n, k, widen(wide_a, m, k, a, a_strides),
             widen(wide_b, k, n, b, b_strides), c, store);
}

/// True if the library adds these products of the largest bytes without cutting off.
bool is_exact(int byte) {
  constexpr Index n = 64, k = 64;
  const std::vector<std::int8_t> b(to_size(n * k), 127);
  const PackedMatrix matrix(Precision::int8, k, n, b.data(), {n, 1});
  for (const Index m : {Index{1}, Index{5}, Index{64}}) {
    const std::vector<std::uint8_t> a(to_size(m * k), static_cast<std::uint8_t>(byte));
    std::vector<std::int32_t> c(to_size(m * n));
    product(m, a.data(), k, matrix, c.data());
    for (const std::int32_t sum : c)
      if (sum != byte * 127 * k) return false;
  }
  return true;
}

}  // namespace

bool emulates_bfloat16() {
  static const bool wanted = [] {
    const char* const value = std::getenv(emulation_variable);
    if (value == nullptr) return false;
    if (std::string_view(value) != "emulate")
      fail("{}={}: give emulate, or unset the variable", emulation_variable, value);
    return true;
  }();
  return wanted;
}

PackedMatrix::PackedMatrix(Precision precision, Index k, Index n, const void* b, Strides strides)
    : precision_(precision), k_(k), n_(n) {
  if (precision == Precision::bfloat16 && emulates_bfloat16()) {
    bytes_ = to_size(k * n) * sizeof(bfloat16);
    memory_ = allocate(bytes_);
    bfloat16* to = static_cast<bfloat16*>(memory_.get());
    for (Index row = 0; row < k; ++row)
      for (Index column = 0; column < n; ++column)
        *to++ = static_cast<const bfloat16*>(b)[row * strides.row + column * strides.column];
  } else {
    const onednn::Packed packed_b = onednn::pack(precision, k, n, b, strides);
    memory_ = packed_b.memory;
    bytes_ = packed_b.bytes;
  }
}

void product(Index m, const bfloat16* a, Index a_stride, const PackedMatrix& b, float* c, blas::Store store) {
  if (emulates_bfloat16())
    return emulate(m, b.n(), b.k(), a, {a_stride, 1}, static_cast<const bfloat16*>(b.data()), {b.n(), 1},
                   {c, b.n()}, store);
  onednn::product({Precision::bfloat16, m, b.n(), b.k(), {a_stride, 1}, packed, b.n(), store}, a, b.data(),
                  c);
}

void product(Index m, const std::uint8_t* a, Index a_stride, const PackedMatrix& b, std::int32_t* c) {
  onednn::product({Precision::int8, m, b.n(), b.k(), {a_stride, 1}, packed, b.n(), blas::Store::overwrite}, a,
                  b.data(), c);
}

void product(Index m, Index n, Index k, const bfloat16* a, Strides a_strides, const bfloat16* b,
             Strides b_strides, blas::Matrix<float> c, blas::Store store) {
  if (emulates_bfloat16()) return emulate(m, n, k, a, a_strides, b, b_strides, c, store);
  onednn::product({Precision::bfloat16, m, n, k, a_strides, b_strides, c.stride, store}, a, b, c.data);
}

int largest_byte() {
  static const int largest = is_exact(255) ? 255 : 127;
  return largest;
}

std::string information(Precision precision) {
  if (precision == Precision::bfloat16 && emulates_bfloat16())
    return std::string("emulated in float32, because of ") + emulation_variable;
  return onednn::information() + (precision == Precision::bfloat16 ? ", AVX512-BF16"
                                  : largest_byte() == 255          ? ", VNNI"
                                                                   : ", without VNNI: activations in 7 bits");
}

}  // namespace regard::low_precision

namespace regard {

std::string missing_for(Precision precision) {
  if (precision == Precision::float32) return {};
  if (precision == Precision::bfloat16 && low_precision::emulates_bfloat16()) return {};
  return onednn::missing(precision);
}

void check_available(Precision precision) {
  const std::string missing = missing_for(precision);
  if (missing.empty()) return;
  fail("{} products are not possible: {}{}", to_string(precision), missing,
       precision == Precision::bfloat16
           ? "; to see the effect of the rounding without the speed, set REGARD_BFLOAT16=emulate"
           : "");
}

}  // namespace regard
