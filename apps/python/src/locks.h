#pragma once

#include <mutex>

#include "apps/python/src/casters.h"

// Python runs one thread at a time. A function that computes gives the interpreter's lock to others.

namespace regard::python::inline REGARD_PRECISION {

/// For functions that use nothing of Python.
using NoLock = nb::call_guard<nb::gil_scoped_release>;

template <class Function>
auto without_lock(const Function& function) {
  const nb::gil_scoped_release release;
  return function();
}

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
  nb::gil_scoped_release release_;
  std::lock_guard<std::recursive_mutex> lock_;
};

}  // namespace regard::python::REGARD_PRECISION
