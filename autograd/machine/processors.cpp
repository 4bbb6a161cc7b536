#include "autograd/machine/processors.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <memory>
#include <sched.h>
#include <set>
#include <system_error>

#include "autograd/machine/error.h"

namespace regard {

namespace {

constexpr double no_quota = std::numeric_limits<double>::infinity();

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

/// The processors of the affinity mask.
std::vector<int> allowed_processors() {
  // Linux refuses a mask that is smaller than its own, and does not tell how large that is.
  for (int size = CPU_SETSIZE;; size *= 2) {
    const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(size));
    const std::size_t bytes = CPU_ALLOC_SIZE(size);
    if (set != nullptr && ::sched_getaffinity(0, bytes, set.get()) == 0) {
      std::vector<int> result;
      for (int i = 0; i < size; ++i)
        if (CPU_ISSET_S(i, bytes, set.get())) result.push_back(i);
      return result;
    }
    constexpr int most = 1 << 20;
    if (errno != EINVAL || size > most)
      fail("cannot find the processors of this process: sched_getaffinity: {}; set OMP_NUM_THREADS",
           std::generic_category().message(errno));
  }
}

/// The first processor of the core to which a processor belongs.
int core_of(int processor, const std::string& root) {
  // For example "3,35" or "6-7".
  std::ifstream siblings(
      fmt::format("{}/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", root, processor));
  int first = 0;
  return siblings >> first ? first : processor;
}

/// Processors that one folder of a hierarchy of cgroups allows.
double quota_of(const std::string& folder, bool version_2) {
  double microseconds = 0, period = 0;  // "max 100000" in version 2 or -1 in version 1: no quota
  if (version_2)
    std::ifstream(folder + "/cpu.max") >> microseconds >> period;
  else
    std::ifstream(folder + "/cpu.cfs_quota_us") >> microseconds,
        std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return microseconds > 0 && period > 0 ? microseconds / period : no_quota;
}

/// Processors that the cgroups of this process allow. Each folder up to the root may have a quota. In a
/// container the lower folders may be hidden, and its own quota is at the root.
double quota(const std::string& root) {
  double result = no_quota;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "4:cpu,cpuacct:/path"; version 2: "0::/path"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const bool version_2 = controllers == ",,";
    if (!version_2 && controllers.find(",cpu,") == std::string::npos) continue;
    const std::string hierarchy = root + (version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu");
    std::filesystem::path path = line.substr(second + 1);
    for (;; path = path.parent_path()) {
      result = std::min(result, quota_of(hierarchy + path.string(), version_2));
      if (path == path.root_path()) break;
    }
  }
  return result;
}

}  // namespace

const Processors& processors() {
  static const Processors found = detail::find_processors(allowed_processors(), "");
  return found;
}

namespace detail {

Processors find_processors(const std::vector<int>& allowed, const std::string& root) {
  std::set<int> cores;
  for (const int processor : allowed) cores.insert(core_of(processor, root));
  Processors result{{cores.begin(), cores.end()}, "physical cores"};
  if (const double most = std::ceil(quota(root)); most < result.count()) {
    result.cores.resize(static_cast<std::size_t>(most));
    result.limit = "quota of the container";
  }
  return result;
}

}  // namespace detail
}  // namespace regard
