#pragma once

#include <mutex>

namespace regard::python {

/// Gradients may be changed and read by one thread at a time: one lock for both precisions, because a
/// gradient may pass from one to the other. A thread waits for its turn without the interpreter's lock, so
/// the thread before it can call Python.
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

}  // namespace regard::python
