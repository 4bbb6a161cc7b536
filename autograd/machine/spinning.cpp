// Shortens the time for which OpenMP's threads spin while they wait for the next parallel loop, in every
// executable that is linked with regard (CMakeLists.txt).
//
// By default, they spin for milliseconds with GCC's library and for 200 ms with LLVM's. If other programs
// need the processors, each loop then waits for a thread that has no processor, and the program runs fifty
// times slower. Some 100 microseconds are enough. Nothing is changed if the user has set one of the variables
// OMP_WAIT_POLICY, GOMP_SPINCOUNT and KMP_BLOCKTIME.
//
// LLVM's OpenMP reads its variables at the first parallel loop.
//
// GCC's OpenMP reads GOMP_SPINCOUNT in its constructor, when the library is loaded. Only the functions in the
// .preinit_array of an executable run earlier. setenv() has no effect there, because the C library takes the
// environment later, from the array that the kernel made. That array has no room for a further variable. So
// GOMP_SPINCOUNT stands in the place of PATH until the constructor below adds PATH again. No constructor of a
// library needs PATH. If there is no PATH, the threads spin longer, and everything else is the same.
#include <cstdlib>
#include <string_view>

namespace {

char spin_count[] = "GOMP_SPINCOUNT=10000";  // about 100 microseconds

bool chosen_by_user = false;
char* displaced_path = nullptr;  ///< "PATH=…" while GOMP_SPINCOUNT stands in its place

#ifdef __GLIBC__
void set_spin_count(int, char**, char** environment) {
  char** place = nullptr;
  for (char** variable = environment; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    for (const std::string_view name : {"OMP_WAIT_POLICY=", "GOMP_SPINCOUNT=", "KMP_BLOCKTIME="})
      chosen_by_user = chosen_by_user || text.starts_with(name);
    if (text.starts_with("PATH=")) place = variable;
  }
  if (chosen_by_user || place == nullptr) return;
  displaced_path = *place;
  *place = spin_count;
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all_libraries)(int, char**,
                                                                                 char**) = set_spin_count;
#endif

[[gnu::constructor(101)]] void after_all_libraries() {
  if (displaced_path != nullptr) putenv(displaced_path);
  if (!chosen_by_user) setenv("KMP_BLOCKTIME", "0", 1);
}

}  // namespace

/// The linker takes this file into an executable because of this name.
extern "C" void regard_limit_spinning() {}
