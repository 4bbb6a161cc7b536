#include "apps/regard/environment.h"

#include <cstdlib>
#include <initializer_list>
#include <unistd.h>

namespace regard::program {

void limit_spinning(char** arguments) {
#ifdef __linux__
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"})
    if (std::getenv(name) != nullptr) return;
  setenv("GOMP_SPINCOUNT", "10000", 1);  // about 100 microseconds
  setenv("KMP_BLOCKTIME", "0", 1);
  execv("/proc/self/exe", arguments);  // returns only if it fails; the program is then only slower
#else
  static_cast<void>(arguments);
#endif
}

}  // namespace regard::program
