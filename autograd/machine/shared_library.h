#pragma once

#include <dlfcn.h>
#include <string>

namespace regard {

/// A library that is loaded when something needs it, so that a program can start without it. It stays loaded,
/// unless it is closed.
class SharedLibrary {
 public:
  /// `mode` is one of dlopen's. If the library cannot be loaded, fault() says why.
  explicit SharedLibrary(const char* path, int mode = RTLD_NOW | RTLD_LOCAL) : handle_(::dlopen(path, mode)) {
    const char* const fault = loaded() ? nullptr : ::dlerror();
    if (fault != nullptr) fault_ = fault;  // RTLD_NOLOAD has none for a library that is not there
  }

  bool loaded() const { return handle_ != nullptr; }
  const std::string& fault() const { return fault_; }
  /// Returns the function with this name and type, or null if the library is not loaded or has none.
  template <class Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }
  void* address(const char* name) const { return loaded() ? ::dlsym(handle_, name) : nullptr; }
  void close() { ::dlclose(handle_); }

 private:
  void* handle_;
  std::string fault_;
};

}  // namespace regard
