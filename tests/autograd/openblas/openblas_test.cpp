// Which OpenBLAS: one that is older than the processor picks slow kernels; the engine loads it again and asks
// for better ones (autograd/machine/blas.cpp). For that, the tests run separate programs with a library made
// for this purpose.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "autograd/machine/blas.h"
#include "autograd/machine/simd.h"
#include "tests/catch.h"

using namespace regard;

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
