// Products of blocks of matrices, as OpenBLAS computes them for us, or our own code in its place
// (autograd/machine/blas.h).
#include "autograd/machine/blas.h"

#include <limits>
#include <vector>

#include "tests/autograd/support.h"
#include "tests/catch.h"

using namespace regard;

namespace {

using blas::Matrix;
using blas::Store;
using blas::Transposed;

template <class T>
std::vector<T> random_values(Index count, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(to_size(count));
  for (T& value : values) value = static_cast<T>(random.normal());
  return values;
}

/// One product of blocks of larger matrices against three loops. The numbers around C must not change.
template <class T>
void check(Transposed transposed, Index m, Index n, Index k, Store store) {
  const bool a_transposed = transposed == Transposed::a, b_transposed = transposed == Transposed::b;
  INFO((a_transposed   ? "A^T B "
        : b_transposed ? "A B^T "
                       : "A B ")
       << m << " x " << n << " x " << k << (store == Store::add ? ", added" : ""));
  const Index a_rows = a_transposed ? k : m, a_stride = (a_transposed ? m : k) + 3;
  const Index b_rows = b_transposed ? n : k, b_stride = (b_transposed ? k : n) + 5;
  const Index c_stride = n + 2;
  const std::vector<T> a = random_values<T>(a_rows * a_stride + 1, 1),
                       b = random_values<T>(b_rows * b_stride + 1, 2);
  std::vector<T> c = random_values<T>(m * c_stride + 1, 3);
  const std::vector<T> before = c;
  if (store == Store::overwrite)  // the old contents must not matter
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) c[to_size(i * c_stride + j)] = std::numeric_limits<T>::quiet_NaN();
  blas::gemm<T>(transposed, m, n, k, {a.data(), a_stride}, {b.data(), b_stride}, {c.data(), c_stride}, store);

  const double tolerance = (sizeof(T) == 8 ? 1e-15 : 1e-6) * static_cast<double>(k + 1);
  double worst = 0;
  bool surroundings = true;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < c_stride; ++j) {
      const auto at = to_size(i * c_stride + j);
      if (j >= n) {
        surroundings = surroundings && c[at] == before[at];
        continue;
      }
      double expected = store == Store::add ? static_cast<double>(before[at]) : 0;
      for (Index l = 0; l < k; ++l)
        expected += static_cast<double>(a[to_size(a_transposed ? l * a_stride + i : i * a_stride + l)]) *
                    static_cast<double>(b[to_size(b_transposed ? j * b_stride + l : l * b_stride + j)]);
      const double difference = std::abs(static_cast<double>(c[at]) - expected);
      worst = difference <= worst ? worst : difference;  // keeps NaN
    }
  CHECK(worst <= tolerance);
  CHECK(surroundings);
}

template <class T>
void check_all() {
  for (const Transposed transposed : {Transposed::none, Transposed::a, Transposed::b})
    for (const Store store : {Store::overwrite, Store::add})
      for (const Index m : {0, 1, 3, 17, 64})
        for (const Index n : {0, 1, 5, 33})
          for (const Index k : {0, 1, 2, 40}) check<T>(transposed, m, n, k, store);
}

}  // namespace

TEST_CASE("products in double equal three loops, with strides, overwriting and adding") {
  check_all<double>();
}

TEST_CASE("products in float equal three loops, with strides, overwriting and adding") { check_all<float>(); }

TEST_CASE("an inner extent of 0 gives zeros, or adds nothing") {
  // Stride 0, as a tensor of shape [2, 0] has it.
  std::vector<double> c{1, 2, 3, 4};
  const double none = 0;
  blas::gemm<double>(Transposed::none, 2, 2, 0, {&none, 0}, {&none, 2}, {c.data(), 2}, Store::add);
  CHECK(c == std::vector<double>{1, 2, 3, 4});
  blas::gemm<double>(Transposed::b, 2, 2, 0, {&none, 0}, {&none, 0}, {c.data(), 2}, Store::overwrite);
  CHECK(c == std::vector<double>{0, 0, 0, 0});
}
