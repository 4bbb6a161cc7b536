#include "apps/translation/files/module.h"

#include <filesystem>

#include "autograd/machine/shared_library.h"

namespace regard::translation {

void* find_in_module(const char* module, const char* function, std::string& reason) {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& folder : {program, program / REGARD_MODULE_FOLDER}) {
    const auto path = folder / module;
    if (!std::filesystem::exists(path, ignored)) continue;
    // Open MPI's own plug-ins want to find its functions: RTLD_GLOBAL.
    const SharedLibrary library(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library.loaded()) return library.address(function);
    reason = library.fault();
  }
  return nullptr;
}

}  // namespace regard::translation
