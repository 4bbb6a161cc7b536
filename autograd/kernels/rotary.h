#pragma once

#include "autograd/kernels/kernel.h"
#include "autograd/machine/real.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels {

/// The direction in which pairs turn: by their angle, or back.
enum class Turn { forward, back };

/// The shape of the rows that rotary_rows turns.
struct RotaryRows {
  Index width;   ///< of a row
  Index turned;  ///< the first columns, of all heads; the others are copied
  Index d_k;
};

/// Rotary positions (Su et al. 2021, eq. 34). For each pair of columns 2i, 2i + 1 of each head of a row:
///   y_2i = x_2i cos a_i - x_2i+1 sin a_i      y_2i+1 = x_2i sin a_i + x_2i+1 cos a_i
/// table[position, d_k] has sin a_i in column 2i and cos a_i in column 2i + 1. Rows first .. last. y may add.
REGARD_KERNEL(rotary_rows, GradSlot y, const Real* x, const RotaryRows& shape, Index first, Index last,
              const Real* table, const std::int32_t* positions, Turn turn);

}}}  // namespace regard::REGARD_PRECISION::kernels
