#pragma once

#include <string>

#include "apps/translation/processes/processes.h"

// What the module with MPI (mpi_processes.cpp) offers to launcher.cpp.

namespace regard::translation {

using ConnectFunction = Processes*();
using VersionFunction = void(std::string* text);
inline constexpr const char* connect_function = "regard_connect_mpi";
inline constexpr const char* version_function = "regard_mpi_version";

}  // namespace regard::translation
