#pragma once

#include <memory>
#include <string>

#include "apps/processes/network.h"

namespace regard::translation {

/// The place of this process among those that mpirun or another launcher has started, as far as the
/// environment tells.
struct Launched {
  Index rank = 0;
  Index count = 1;  ///< 0: the launcher tells only the rank
};

/// Reads the variables of Open MPI, of MPICH and its relatives, and of PMIx. Returns rank 0 of 1 if no
/// launcher has started this process.
Launched launched();

/// Connects to the other processes that the launcher has started. Returns null if it has started only this
/// one. Throws Error if the program was built without MPI, or with the MPI of another launcher.
std::unique_ptr<Network> connect(const Launched& launched);

/// The name and version of the MPI library, for --version; a sentence if there is none.
std::string mpi_version();

// The module with MPI (mpi_network.cpp) has these two functions. connect.cpp finds them by their names.
using ConnectFunction = Network*();
using VersionFunction = void(std::string* text);
inline constexpr const char* connect_function = "regard_connect_mpi";
inline constexpr const char* version_function = "regard_mpi_version";

}  // namespace regard::translation
