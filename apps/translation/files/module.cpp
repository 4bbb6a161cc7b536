#include "apps/translation/files/module.h"

#include <dlfcn.h>
#include <filesystem>

namespace regard::translation {

void* find_in_module(const char* module, const char* function, std::string& reason) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& folder : {program, program / REGARD_MODULE_FOLDER}) {
    const auto path = folder / module;
    if (!std::filesystem::exists(path, ignored)) continue;
    // Open MPI's own plug-ins want to find its functions: RTLD_GLOBAL.
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) return ::dlsym(library, function);
    reason = ::dlerror();
  }
  return nullptr;
}

}  // namespace regard::translation
