// Matrix products against a loop in double precision, and the cut of work into blocks against hand
// calculations.
#include "autograd/kernels/products.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "autograd/kernels/few_rows.h"
#include "autograd/kernels/panels.h"
#include "autograd/machine/cut.h"
#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;
using namespace regard::tests;

namespace {

using blas::Transposed;

/// Operands and a result whose rows are wider than they need to be.
struct Product {
  Transposed transposed;
  Index m, n, k;
  blas::Store store = blas::Store::overwrite;
  Index gap = 3;

  Tensor a = normal(transposed == Transposed::a ? Shape{k, m + gap} : Shape{m, k + gap}, 1);
  Tensor b = normal(transposed == Transposed::b ? Shape{n, k + gap} : Shape{k, n + gap}, 2);
  Tensor before = normal({m, n + gap}, 3);

  Tensor compute(const kernels::BlockDone& done = nullptr) const {
    const Tensor c = before.clone();
    kernels::product(transposed, m, n, k, {a.data(), a.size(1)}, {b.data(), b.size(1)}, {c.data(), c.size(1)},
                     store, done);
    return c;
  }
  Numbers expected() const {
    Numbers result = numbers(before);
    // From element to element of a row, and of a column.
    const Index a_row = transposed == Transposed::a ? m + gap : 1,
                a_column = transposed == Transposed::a ? 1 : k + gap;
    const Index b_row = transposed == Transposed::b ? k + gap : 1,
                b_column = transposed == Transposed::b ? 1 : n + gap;
    const Real *const left = a.data(), *const right = b.data();
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        double& sum = result[to_size(i * (n + gap) + j)];
        if (store == blas::Store::overwrite) sum = 0;
        for (Index l = 0; l < k; ++l)
          sum += static_cast<double>(left[i * a_column + l * a_row]) *
                 static_cast<double>(right[l * b_column + j * b_row]);
      }
    return result;
  }
};

/// Few rows; tiles with edges on both sides; and sums that are cut into parts.
const std::vector<Shape> product_shapes{
    {0, 5, 3},     {5, 0, 3},      {5, 3, 0},      {1, 1, 1},      {3, 700, 90},   {40, 33, 300}, {70, 32, 1},
    {64, 65, 257}, {300, 140, 20}, {200, 31, 900}, {70, 90, 1500}, {200, 90, 301}, {90, 301, 200}};

}  // namespace

TEST_CASE("products are sums of products, and a block is done when it is finished") {
  for (const Transposed transposed : {Transposed::none, Transposed::a, Transposed::b})
    for (const Shape& shape : product_shapes)
      for (const auto store : {blas::Store::overwrite, blas::Store::add}) {
        const Product product{transposed, shape[0], shape[1], shape[2], store};
        INFO(to_string(shape) << ", operand " << static_cast<int>(transposed) << ", store "
                              << static_cast<int>(store));
        CHECK(error(numbers(product.compute()), product.expected()) < (sizeof(Real) == 8 ? 1e-13 : 1e-5));
        std::vector<std::atomic<int>> done(to_size(product.m * product.n));
        const Threads limit(3);
        product.compute([&](const kernels::MatrixBlock& block) {
          for (Index i = block.row; i < block.row + block.rows; ++i)
            for (Index j = block.column; j < block.column + block.columns; ++j)
              ++done[to_size(i * product.n + j)];
        });
        CHECK(std::ranges::all_of(done, [](const auto& times) { return times == 1; }));
      }
}

TEST_CASE("products have the same bits on any number of threads") {
  for (const Transposed transposed : {Transposed::none, Transposed::a, Transposed::b})
    for (const Shape& shape : {Shape{500, 130, 140}, Shape{90, 70, 1500}, Shape{9, 900, 200}}) {
      const Product product{transposed, shape[0], shape[1], shape[2], blas::Store::add};
      std::vector<Tensor> results;
      for (const int count : {1, 2, 3, 5, 64}) {
        const Threads limit(count);
        results.push_back(product.compute());
        INFO(to_string(shape) << " on " << count << " threads");
        CHECK(same_bits(results.front(), results.back()));
      }
    }
}

TEST_CASE("the bits of a product do not depend on where its tiles begin") {
  const Index rows = 100, columns = 96, depth = 300;
  const Tensor a = normal({rows, depth}, 1), b = normal({depth, columns}, 3), at = transpose(a, 0, 1);
  const kernels::StridedMatrix plain{a.data(), depth, 1}, transposed{at.data(), 1, rows};
  const auto memory = std::make_unique<kernels::TileMemory>();
  for (int version = 0; version <= static_cast<int>(processor_simd()); ++version) {
    const Tensor panels = Tensor::empty({columns, depth});
    for (const Index first : {0, 200})  // in two parts
      kernels::pack_panels.versions[version](panels.data(), depth, {b.data(), columns, 1}, first,
                                             std::min<Index>(200, depth - first), columns);
    const auto compute = [&](const kernels::StridedMatrix& matrix, Index tile_rows, Index tile_columns) {
      const Tensor c = Tensor::zeros({rows, columns});
      for (Index i = 0; i < rows; i += tile_rows)
        for (Index j = 0; j < columns; j += tile_columns)
          for (Index k = 0; k < depth; k += 200)
            kernels::product_tile.versions[version](
                std::min(tile_rows, rows - i), std::min(tile_columns, columns - j),
                std::min<Index>(200, depth - k), matrix.from(i, k), {panels.data() + j * depth, depth, k},
                {c.data() + i * columns + j, columns}, k == 0 ? blas::Store::overwrite : blas::Store::add,
                memory.get());
      return c;
    };
    const Tensor whole = compute(plain, rows, columns);
    CHECK(error(numbers(whole), numbers(matmul(a, b))) < (sizeof(Real) == 8 ? 1e-13 : 1e-5));
    for (const kernels::StridedMatrix& matrix : {plain, transposed})
      for (const Index tile_rows : {1, 7, 50, 100})
        for (const Index tile_columns : {32, 64})
          CHECK(same_bits(compute(matrix, tile_rows, tile_columns), whole));
  }
}

TEST_CASE("a product with few rows is right, whole and in pieces, on each instruction set") {
  constexpr Index depth_of_two_parts = 1024 + 37;  // and a rest that fills no vector
  for (int version = 0; version <= static_cast<int>(processor_simd()); ++version)
    for (const Index depth : {Index{1}, Index{16}, depth_of_two_parts})
      for (const Index rows : {1, 2, 3, 7, 23}) {
        INFO("version " << version << ", " << rows << " rows, depth " << depth);
        const Product product{
            .transposed = Transposed::b, .m = rows, .n = 21, .k = depth, .store = blas::Store::add};
        const auto compute = [&](Index some_rows, Index some_columns) {
          const Tensor c = product.before.clone();
          for (Index i = 0; i < rows; i += some_rows)
            for (Index j = 0; j < product.n; j += some_columns)
              kernels::few_rows_product.versions[version](
                  std::min(some_rows, rows - i), std::min(some_columns, product.n - j), depth,
                  {product.a.data() + i * product.a.size(1), product.a.size(1)},
                  {product.b.data() + j * product.b.size(1), product.b.size(1)},
                  {c.data() + i * c.size(1) + j, c.size(1)}, product.store);
          return c;
        };
        for (const auto& [some_rows, some_columns] :
             {std::pair<Index, Index>{rows, product.n}, {1, product.n}, {rows, 1}, {2, 5}})
          CHECK(error(numbers(compute(some_rows, some_columns)), product.expected()) <
                (sizeof(Real) == 8 ? 1e-13 : 1e-5));
      }
}

TEST_CASE("loops are cut into 8 to 256 blocks, or not at all") {
  CHECK(block_size(0, 1) == 1);
  CHECK(block_size(65'535, 1) == 65'535);  // less than 65,536 numbers: one block
  CHECK(block_size(65'536, 1) == 8'192);
  CHECK(block_size(1'000, 1'000) == 9);  // 8,192 / 1,000, rounded up
  CHECK(block_size(1'000, 1'000, 16) == 16);
  CHECK(block_size(1'000, 1'000'000) == 4);    // 1,000 / 256, rounded up
  CHECK(block_size(10'000'000, 1) == 39'063);  // likewise
  CHECK(block_size(5, 0) == 5);
}

TEST_CASE("products are cut into blocks for many threads") {
  const auto cut = [](Index m, Index n, Index k) {
    const ProductCut result = cut_product(m, n, k, {144, 256, std::max<Index>(k / 256, 1)}, {36, 64});
    return std::vector<Index>{result.rows, result.columns, result.parts};
  };
  CHECK(cut(3400, 1536, 512) == std::vector<Index>{144, 256, 1});  // 24 x 6 tiles are enough
  CHECK(cut(3400, 256, 128) == std::vector<Index>{72, 256, 1});    // 48 tiles; of 144 rows there are 24
  CHECK(cut(128, 256, 3400) == std::vector<Index>{72, 256, 13});   // 26 parts of sums are enough
  CHECK(cut(512, 512, 3400) == std::vector<Index>{144, 256, 6});   // 8 tiles in 6 parts are 48
  CHECK(cut(64, 64, 64) ==
        std::vector<Index>{36, 128, 1});  // fewer than 524,288 multiplications are not worth a thread
}
