#pragma once

#include <string>

namespace regard::translation {

/// Returns a function of a module, a library that the program loads only when it needs it: such as
/// "regard_mpi.so", beside the program or where modules are installed. Returns null if it cannot; then
/// `reason` is the reason, or as before if there is no such module.
void* find_in_module(const char* module, const char* function, std::string& reason);

}  // namespace regard::translation
