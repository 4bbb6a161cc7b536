#pragma once

#include <string>
#include <vector>

namespace regard {

/// The processors with which this process can compute at full speed.
struct Processors {
  /// For each physical core its first processor, as Linux numbers them, ascending. Threads of one core share
  /// its arithmetic units, so they count once. No more than the quota of the container pays for.
  std::vector<int> cores;
  const char* limit;  ///< what decides the number of cores: "physical cores" or "quota of the container"

  /// Number of cores, at least 1.
  int count() const { return static_cast<int>(cores.size()); }
};

/// Returns the processors of the affinity mask, within the quota of cgroups. They are read once. Throws Error
/// if the system does not tell the mask.
const Processors& processors();

namespace detail {
/// Returns the same for the processors `allowed`, not empty, of a system whose files are in the folder
/// `root`; empty: "/".
Processors find_processors(const std::vector<int>& allowed, const std::string& root);
}  // namespace detail

}  // namespace regard
