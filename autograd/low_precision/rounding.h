#pragma once

#include <cstdint>

#include "autograd/kernels/kernel.h"
#include "autograd/low_precision/products.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

using low_precision::bfloat16;

/// to = x rounded to bfloat16: to the nearest, and halfway to the even one. NaN stays NaN.
REGARD_KERNEL(round_to_bfloat16, bfloat16* to, const float* x, Index size);
/// The same numbers in float32, on the calling thread.
REGARD_KERNEL(widen_bfloat16, float* to, const bfloat16* x, Index size);

/// The numbers that an 8-bit copy of a row has: zero + q for q = -limit .. limit.
struct ByteRange {
  int zero, limit;
};

/// to = zero + round(x / scale) with scale = max |x| / limit for each row of x[rows, columns]. A row of zeros
/// has the scale 0, and so has a row whose numbers are all below 1e-36. A row with NaN or infinity has the
/// scale NaN.
REGARD_KERNEL(quantise_rows, std::uint8_t* to, float* scales, const float* x, Index rows, Index columns,
              ByteRange range);

/// How the sums of an int8 product become float32: the equation stands above QuantisedWeight::product
/// (autograd/low_precision/quantised_weight.cpp).
struct Dequantisation {
  const float* row_scales;
  const float* column_scales;
  const std::int32_t* column_sums;
  int zero;
};

/// y = row_scale column_scale (sum - zero column_sum), for sums[rows, columns] and rows of y at a distance of
/// `stride`.
REGARD_KERNEL(dequantise, float* y, Index stride, const std::int32_t* sums, Index rows, Index columns,
              Dequantisation by);

/// y[row] = scale * scales[index] * x[index] with index = indices[row], for rows of `columns` bytes.
REGARD_KERNEL(gather_quantised_rows, float* y, const std::int8_t* x, const float* scales,
              const std::int32_t* indices, Index rows, Index columns, float scale);

/// y[row] = scale * x[indices[row]] for rows of `columns` bfloat16.
REGARD_KERNEL(gather_rounded_rows, float* y, const bfloat16* x, const std::int32_t* indices, Index rows,
              Index columns, float scale);

}}}  // namespace regard::REGARD_PRECISION::kernels
