// Products of blocks of matrices, as OpenBLAS computes them for us. And which OpenBLAS: one that is older
// than the processor picks slow kernels; the engine loads it again and asks for better ones
// (autograd/machine/blas.cpp). For that, the tests run separate programs with a library made for this
// purpose.
#include "autograd/machine/blas.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <omp.h>
#include <string>

#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
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

TEST_CASE("products leave the program's OpenMP settings alone") {
  const int before = omp_get_max_threads();
  for (const int count : {1, 3}) {
    omp_set_num_threads(count);
    const std::vector<double> a(200 * 200, 1), b(200 * 200, 2);
    std::vector<double> c(200 * 200);
    blas::gemm<double>(Transposed::none, 200, 200, 200, {a.data(), 200}, {b.data(), 200}, {c.data(), 200},
                       Store::overwrite);
    CHECK(c[777] == 400);
    CHECK(omp_get_max_threads() == count);
  }
  omp_set_num_threads(before);
}

TEST_CASE("the loaded library describes itself") {
  const blas::Information& information = blas::information();
  CHECK_CONTAINS(information.version, "OpenBLAS");
  CHECK_FALSE(information.core.empty());
  CHECK(information.openmp == (information.version.find("USE_OPENMP") != std::string::npos));
}

namespace {

/// The output of openblas/report.cpp, with standard error, in an environment with these settings.
std::string report(const std::string& settings) {
  const std::string command =
      "env -u OPENBLAS_CORETYPE -u LD_PRELOAD ASAN_OPTIONS=verify_asan_link_order=0 " + settings +
      " " REGARD_OPENBLAS_REPORT " 2>&1";
  std::string output;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "cannot run " + command;
  std::array<char, 1024> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) output += buffer.data();
  return pclose(pipe) == 0 ? output : output + "(failed)";
}

const std::string old_library = "LD_LIBRARY_PATH=" REGARD_OLD_OPENBLAS;

std::string better_core() { return processor_simd() == Simd::avx512 ? "SkylakeX" : "Haswell"; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("an OpenBLAS with slow kernels is loaded again with better ones, and nothing stays behind") {
  const std::string output = report(old_library);
  CHECK_CONTAINS(output, "version=OpenBLAS 0.0.0 for tests\n");
  CHECK_CONTAINS(output, "product=100\n");
  CHECK_CONTAINS(output, "variable=unset\n");
  CHECK(count(output, "regard:") == 0);
  if (processor_simd() == Simd::baseline) {
    CHECK_CONTAINS(output, "core=Prescott\nreplaced=0\n");
  } else {
    CHECK_CONTAINS(output, "core=" + better_core() + "\nreplaced=1\n");
  }
}

TEST_CASE("a core that the user asks for is never replaced") {
  for (const std::string core : {"Nehalem", "SkylakeX"}) {
    const std::string output = report(old_library + " OPENBLAS_CORETYPE=" + core);
    CHECK_CONTAINS(output, "core=" + core + "\nreplaced=0\nvariable=" + core + "\n");
    CHECK_CONTAINS(output, "product=100\n");
    CHECK(count(output, "regard:") == 0);
  }
}

TEST_CASE("a library that the program had loaded before is left alone, with advice, once") {
  const std::string output = report("LD_PRELOAD=" REGARD_OLD_OPENBLAS "/libopenblas.so.0");
  CHECK_CONTAINS(output, "core=Prescott\nreplaced=0\nvariable=unset\nproduct=100\n");
  if (processor_simd() == Simd::baseline) {
    CHECK(count(output, "regard:") == 0);
  } else {
    CHECK(count(output, "regard: OpenBLAS runs its Prescott kernels") == 1);
    CHECK_CONTAINS(output, "export OPENBLAS_CORETYPE=" + better_core());
  }
}

TEST_CASE("the system's own OpenBLAS uses what the processor offers") {
  const std::string output = report("");
  CHECK_THAT(output, ContainsSubstring("version=OpenBLAS ") && ContainsSubstring("product=100\n"));
  CHECK_CONTAINS(output, "variable=unset\n");
  if (processor_simd() != Simd::baseline) CHECK_THAT(output, !ContainsSubstring("core=Prescott"));
}

TEST_CASE("an unknown instruction set is refused before a loop, where an error would end the program") {
  CHECK_CONTAINS(report("REGARD_SIMD=best"), "error=REGARD_SIMD=best: give baseline, avx2 or avx512");
}

TEST_CASE("without OpenBLAS, an error names the package to install") {
  const std::string output = report("LD_LIBRARY_PATH=" REGARD_BROKEN_OPENBLAS);
  CHECK_THAT(output, ContainsSubstring("error=cannot load OpenBLAS") && ContainsSubstring("apt-get install"));
}
