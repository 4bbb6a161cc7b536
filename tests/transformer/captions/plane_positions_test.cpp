// The places of pixels in a plane.
#include "transformer/captions/plane_positions.h"

#include "tests/catch.h"
#include "tests/nn/sinusoids.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE(
    "positions in a plane: the row of a pixel in the first half of the columns, its column in the second") {
  for (const Index width : {2, 5, 8}) {
    const Index half = width / 2;
    const Tensor x = normal({2 * 3 + 4 * 1, width}, 1);
    const Tensor y = nn::PlanePositionalEncoding(width)(x, {{2, 3}, {4, 1}});
    const Positions of_row{0, 0, 0, 1, 1, 1, 0, 1, 2, 3}, of_column{0, 1, 2, 0, 1, 2, 0, 0, 0, 0};
    const Numbers rows = expected_sinusoids(half, of_row),
                  columns = expected_sinusoids(width - half, of_column);
    for (Index pixel = 0; pixel < x.size(0); ++pixel)
      for (Index i = 0; i < width; ++i) {
        const double added =
            i < half ? rows[to_size(pixel * half + i)] : columns[to_size(pixel * (width - half) + i - half)];
        CHECK(y.at({pixel, i}) - x.at({pixel, i}) == Approx(added).margin(1e-14));
      }
  }
}
