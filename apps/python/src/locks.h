#pragma once

#include <mutex>

#include "autograd/machine/real.h"

namespace regard::python::inline REGARD_PRECISION {

/// Gradients may be changed and read by one thread at a time, in each precision. A thread waits for its turn
/// without the interpreter's lock, so the thread before it can call Python.
class GradientAccess {
 public:
  GradientAccess() : lock_(mutex()) {}

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex instance;
    return instance;
  }
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace regard::python::REGARD_PRECISION
