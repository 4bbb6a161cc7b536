#include "autograd/kernels/panels.h"

#include "autograd/kernels/tiled_product.h"

namespace regard { inline namespace REGARD_PRECISION { namespace kernels { namespace REGARD_SIMD_NAMESPACE {

void pack_panels(Real* panels, const Real* b, Index b_row, Index b_column, Index depth,
                 Index columns) noexcept {
  for (Index first = 0; first < columns; first += panel_columns)
    for (Index k = 0; k < depth; ++k)
      for (Index j = first; j < first + panel_columns; ++j)
        *panels++ = j < columns ? b[k * b_row + j * b_column] : Real{0};
}

void panel_product(Index rows, Index columns, Index depth, ConstMatrix a, const Real* panels, Matrix c,
                   blas::Store how) noexcept {
  constexpr Index most_depth = 256;  // a panel of this depth fills the first-level cache
  for (Index first = 0; first < columns; first += panel_columns) {
    for (Index k = 0; k < depth; k += most_depth) {
      const Real* const panel = panels + first * depth + k * panel_columns;
      const Index part = depth - k < most_depth ? depth - k : most_depth;
      for (Index j = 0; j < panel_columns; j += 2 * lanes)
        product_columns<2>(rows, part, a.data + k, a.stride, 1, {panel + j, panel_columns},
                           {c.data + first + j, c.stride}, k == 0 ? how : blas::Store::add);
    }
  }
}

}  // namespace REGARD_SIMD_NAMESPACE
}}}  // namespace regard::REGARD_PRECISION::kernels
