// OpenBLAS, loaded at run time.
//
// OpenBLAS picks its kernels by processor model when it is loaded, and releases that are older than the
// processor pick slow ones: 0.3.21 (Debian 12) runs AVX2 kernels on Zen 5 and even SSE3 kernels on recent
// Intel processors, at half to a fifth of the speed (https://github.com/OpenMathLib/OpenBLAS/issues/4267).
// The variable OPENBLAS_CORETYPE corrects this, but the library's constructor reads it, and in a program that
// is linked the usual way the constructor runs before main. So we load the library ourselves, look at what it
// picked, and if the processor can do more, close it and load it again with the variable set. A value set by
// the user is never changed. A library that the program had loaded before us is not closed either; then we
// print advice instead.
#include "autograd/machine/blas.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <sys/mman.h>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/shared_library.h"
#include "autograd/machine/simd.h"

namespace regard::blas {
namespace {

constexpr const char* library_name = "libopenblas.so.0";
constexpr const char* core_variable = "OPENBLAS_CORETYPE";

// cblas.h's constants: row-major order, and whether an operand is transposed.
constexpr int row_major = 101, as_stored = 111, transposed_operand = 112;
template <class T>
using GemmFunction = void(int order, int transpose_a, int transpose_b, int m, int n, int k, T alpha,
                          const T* a, int a_stride, const T* b, int b_stride, T beta, T* c, int c_stride);

struct Library {
  GemmFunction<float>* sgemm = nullptr;
  GemmFunction<double>* dgemm = nullptr;
  Information information;
};

template <class Function>
Function* function(const SharedLibrary& file, const char* name) {
  Function* const found = file.find<Function>(name);
  if (found == nullptr) fail("{} has no function {}; install libopenblas0-pthread", library_name, name);
  return found;
}

std::string core_of(const SharedLibrary& file) { return function<char*()>(file, "openblas_get_corename")(); }

/// The instruction set that a core's kernels use.
Simd instruction_set_of(std::string_view core) {
  for (const std::string_view name : {"SkylakeX", "Cooperlake", "Sapphirerapids", "SapphireRapids"})
    if (core == name) return Simd::avx512;
  for (const std::string_view name : {"Haswell", "Zen", "Excavator"})
    if (core == name) return Simd::avx2;
  return Simd::baseline;
}

/// The core to ask for, or null if `core` already uses the best instructions of the processor.
const char* better_core(std::string_view core) {
  const Simd processor = processor_simd();
  if (processor == Simd::baseline || instruction_set_of(core) >= processor) return nullptr;
  return processor == Simd::avx512 ? "SkylakeX" : "Haswell";
}

/// Gives an environment variable another value while this object exists.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// OpenBLAS takes 128 MB of addresses for each thread that calls it (the OpenMP flavour takes them once more
/// for itself), and never touches most of them. If there are not enough (ulimit -v), it tries again for ever.
/// So this function checks first.
void check_addresses() {
  const std::size_t bytes = to_size(threads() + 1) * (std::size_t{160} << 20);  // and a stack
  void* const probe =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED)
    fail(
        "out of memory: matrix products on {} threads need {} MB of addresses; raise the limit (ulimit -v) "
        "or use fewer threads",
        threads(), bytes >> 20);
  munmap(probe, bytes);
}

/// Makes OpenBLAS take those addresses now, while there are enough, and not in a product of a later step.
void reserve_addresses(const SharedLibrary& file) {
  const auto take = file.find<void*(int)>("blas_memory_alloc");
  const auto give_back = file.find<void(void*)>("blas_memory_free");
  if (take == nullptr || give_back == nullptr) return;  // they are not part of its public interface
  std::vector<void*> buffers(to_size(threads()));
  for (void*& buffer : buffers) buffer = take(0);
  for (void* const buffer : buffers) give_back(buffer);
}

SharedLibrary open() {
  // The threads that call it are ours. Threads of its own would only take memory.
  const Setting no_threads("OPENBLAS_NUM_THREADS", "1");
  SharedLibrary file(library_name);
  if (!file.loaded())
    fail("cannot load OpenBLAS ({}); install it with: apt-get install libopenblas0-pthread", file.fault());
  return file;
}

Library load_library() {
  Library library;
  check_addresses();
  const bool loaded_by_others = SharedLibrary(library_name, RTLD_NOW | RTLD_NOLOAD).loaded();
  const bool chosen_by_user = std::getenv(core_variable) != nullptr;
  const OneThread restored;  // the OpenMP flavour changes the caller's number of threads when its own is set
  SharedLibrary file = open();
  std::string core = core_of(file);
  const char* const better = chosen_by_user ? nullptr : better_core(core);
  if (better != nullptr && !loaded_by_others) {
    file.close();
    const Setting core_wanted(core_variable, better);
    file = open();
    core = core_of(file);
    library.information.core_replaced = better_core(core) == nullptr;
  }
  if (better != nullptr && !library.information.core_replaced)
    library.information.advice = fmt::format(
        "OpenBLAS runs its {} kernels, but this processor has faster ones; start the program with: "
        "export {}={}",
        core, core_variable, better);
  library.information.core = core;
  library.information.version = function<char*()>(file, "openblas_get_config")();
  library.information.openmp = library.information.version.find("USE_OPENMP") != std::string::npos;
  library.sgemm = function<GemmFunction<float>>(file, "cblas_sgemm");
  library.dgemm = function<GemmFunction<double>>(file, "cblas_dgemm");
  function<void(int)>(file, "openblas_set_num_threads")(1);
  reserve_addresses(file);
  if (!library.information.advice.empty())
    std::fprintf(stderr, "regard: %s\n", library.information.advice.c_str());
  return library;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

GemmFunction<float>* gemm_function(float) { return library().sgemm; }
GemmFunction<double>* gemm_function(double) { return library().dgemm; }

}  // namespace

template <class T>
void gemm(Transposed transposed, Index m, Index n, Index k, Matrix<const T> a, Matrix<const T> b, Matrix<T> c,
          Store store) {
  if (m == 0 || n == 0) return;
  // Outside a parallel loop the OpenMP flavour would use as many threads as OpenMP offers.
  std::optional<OneThread> restrained;
  if (library().information.openmp) restrained.emplace();
  gemm_function(T{})(row_major, transposed == Transposed::a ? transposed_operand : as_stored,
                     transposed == Transposed::b ? transposed_operand : as_stored, static_cast<int>(m),
                     static_cast<int>(n), static_cast<int>(k), T{1}, a.data, static_cast<int>(a.stride),
                     b.data, static_cast<int>(b.stride), store == Store::add ? T{1} : T{0}, c.data,
                     static_cast<int>(c.stride));
}

template void gemm(Transposed, Index, Index, Index, Matrix<const float>, Matrix<const float>, Matrix<float>,
                   Store);
template void gemm(Transposed, Index, Index, Index, Matrix<const double>, Matrix<const double>,
                   Matrix<double>, Store);

bool reads_in_place() { return simd() == Simd::avx512; }
void load() { library(); }
const Information& information() { return library().information; }

}  // namespace regard::blas
