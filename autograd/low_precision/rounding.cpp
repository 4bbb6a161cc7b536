#include "autograd/low_precision/rounding.h"

#include "autograd/kernels/rows.h"
#include "autograd/machine/cut.h"
#include "autograd/machine/parallel.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels::REGARD_SIMD_NAMESPACE {

namespace {

constexpr float infinity = __builtin_inff();

/// The upper 16 bits of a float32 are a bfloat16. Adding almost half of the last bit that stays, and that bit
/// itself, carries into it exactly when the nearest (even) bfloat16 is the larger one.
bfloat16 rounded(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t nearest = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const std::uint32_t quiet_nan = (bits >> 16) | 0x40;
  return static_cast<bfloat16>((bits & 0x7fffffff) > 0x7f800000 ? quiet_nan : nearest);
}

float widened(bfloat16 x) { return __builtin_bit_cast(float, static_cast<std::uint32_t>(x) << 16); }

/// max |x|; infinity or NaN if a number is not finite. Numbers without a sign have the order of their bits as
/// integers, in which infinity and NaN are the largest.
float largest_magnitude(const float* x, Index n) {
  std::int32_t largest = 0;
#pragma omp simd reduction(max : largest)
  for (Index i = 0; i < n; ++i) {
    const std::int32_t magnitude = __builtin_bit_cast(std::int32_t, x[i]) & 0x7fffffff;
    largest = magnitude > largest ? magnitude : largest;
  }
  return __builtin_bit_cast(float, largest);
}

/// to = zero + round(x factor), for |x factor| up to 127.
void round_to_bytes(std::uint8_t* to, const float* x, float factor, std::int32_t zero, Index n) {
  constexpr float round_to_integer = 12582912.0f;  // 1.5 * 2^23: adding it rounds
#pragma omp simd
  for (Index i = 0; i < n; ++i) {
    const float whole = (x[i] * factor + round_to_integer) - round_to_integer;
    to[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(whole) + zero);
  }
}

}  // namespace

void round_to_bfloat16(bfloat16* to, const float* x, Index size) noexcept {
  parallel_for(size, block_size(size, 1), [=](Index begin, Index end) {
#pragma omp simd
    for (Index i = begin; i < end; ++i) to[i] = rounded(x[i]);
  });
}

void widen_bfloat16(float* to, const bfloat16* x, Index size) noexcept {
#pragma omp simd
  for (Index i = 0; i < size; ++i) to[i] = widened(x[i]);
}

void quantise_rows(std::uint8_t* to, float* scales, const float* x, Index rows, Index columns,
                   ByteRange range) noexcept {
  parallel_for(rows, block_size(rows, columns), [=](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const float* const from = x + row * columns;
      std::uint8_t* const bytes = to + row * columns;
      const float largest = largest_magnitude(from, columns);
      const bool is_finite = largest < infinity, has_scale = is_finite && largest > 1e-36f;
      scales[row] = is_finite ? 0 : __builtin_nanf("");
      if (has_scale) scales[row] = largest / static_cast<float>(range.limit);
      if (has_scale)
        round_to_bytes(bytes, from, static_cast<float>(range.limit) / largest, range.zero, columns);
      else
        __builtin_memset(bytes, range.zero, static_cast<std::size_t>(columns));
    }
  });
}

void dequantise(float* y, Index stride, const std::int32_t* sums, Index rows, Index columns,
                Dequantisation by) noexcept {
  for (Index row = 0; row < rows; ++row) {
    float* const y_row = y + row * stride;
    const std::int32_t* const sums_row = sums + row * columns;
    const float row_scale = by.row_scales[row];
#pragma omp simd
    for (Index i = 0; i < columns; ++i) {
      const std::int32_t sum = sums_row[i] - by.zero * by.column_sums[i];
      y_row[i] = static_cast<float>(sum) * (row_scale * by.column_scales[i]);
    }
  }
}

void gather_quantised_rows(float* y, const std::int8_t* x, const float* scales, const std::int32_t* indices,
                           Index rows, Index columns, float scale) noexcept {
  for (Index row = 0; row < rows; ++row) {
    const std::int8_t* const from = x + indices[row] * columns;
    const float factor = scale * scales[indices[row]];
    for (Index i = 0; i < columns; ++i) y[row * columns + i] = factor * static_cast<float>(from[i]);
  }
}

void gather_rounded_rows(float* y, const bfloat16* x, const std::int32_t* indices, Index rows, Index columns,
                         float scale) noexcept {
  for (Index row = 0; row < rows; ++row) {
    const bfloat16* const from = x + indices[row] * columns;
    for (Index i = 0; i < columns; ++i) y[row * columns + i] = scale * widened(from[i]);
  }
}

}}}  // namespace regard::REGARD_PRECISION::kernels::REGARD_SIMD_NAMESPACE
