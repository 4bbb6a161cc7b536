// The processes that mpirun or another launcher has started. The program does not link with MPI. The module
// with MPI is loaded only here (mpi_network.cpp).
#include "apps/processes/connect.h"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "autograd/machine/error.h"
#include "autograd/machine/shared_library.h"

namespace regard::translation {

namespace {

/// Returns a number of the environment, or nothing if it is missing or not a number.
std::optional<Index> variable(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view value = text;
  Index number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) return std::nullopt;
  return number;
}

/// Returns the function of this name in the module with MPI, which is beside the program or where modules are
/// installed, or null. `reason` is then the reason.
void* find_in_mpi(const char* name, std::string& reason) {
  reason = "this program was built without MPI, or its file regard_mpi.so is not beside it";
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& folder : {program, program / REGARD_MODULE_FOLDER}) {
    const auto path = folder / "regard_mpi.so";
    if (!std::filesystem::exists(path, ignored)) continue;
    // Open MPI's own plug-ins want to find its functions: RTLD_GLOBAL.
    const SharedLibrary library(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library.loaded()) return library.address(name);
    reason = library.fault();
  }
  return nullptr;
}

}  // namespace

Launched launched() {
  struct Names {
    const char *rank, *count;
  };
  constexpr Names known[]{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}};
  for (const Names& names : known)
    if (const auto rank = variable(names.rank), count = variable(names.count); rank && count)
      return {*rank, *count};
  if (const auto rank = variable("PMIX_RANK")) return {*rank, 0};
  return {};
}

std::unique_ptr<Network> connect(const Launched& launched) {
  if (launched.count == 1) return nullptr;
  std::string reason;
  void* const function = find_in_mpi(connect_function, reason);
  if (function == nullptr)
    fail(
        "a launcher such as mpirun has started several processes of regard, but they cannot work together: "
        "{}; install libopenmpi-dev and build regard again, or start one process",
        reason);
  std::unique_ptr<Network> network(reinterpret_cast<ConnectFunction*>(function)());
  if (launched.count != 0 && network->count() != launched.count)
    fail(
        "the launcher has started {} processes, but {} sees {}; start regard with the mpirun of this library",
        launched.count, mpi_version(), network->count());
  if (network->count() == 1) return nullptr;
  return network;
}

std::string mpi_version() {
  std::string reason;
  void* const function = find_in_mpi(version_function, reason);
  if (function == nullptr) return "none: " + reason;
  std::string text;
  reinterpret_cast<VersionFunction*>(function)(&text);
  return text;
}

}  // namespace regard::translation
