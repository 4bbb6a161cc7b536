#pragma once

// Slow and plain versions of fast operations, on double-precision numbers. Attention has a plain version of
// its own: autograd/reference/attention.h.

#include "autograd/real.h"
#include "tests/autograd/support.h"

namespace regard::tests::naive {

/// [m, k] x [k, n]
Numbers matmul(const Numbers& a, const Numbers& b, std::size_t m, std::size_t k, std::size_t n);
/// [rows, columns] to [columns, rows]
Numbers transpose(const Numbers& x, std::size_t rows, std::size_t columns);
/// Of one row.
Numbers softmax(const Numbers& x);
/// Rows begin .. end and columns first .. first + width of x[.., columns].
Numbers block(const Numbers& x, std::size_t columns, Index begin, Index end, std::size_t first,
              std::size_t width);

}  // namespace regard::tests::naive
