// The number of processors that a process may use: physical cores, and quotas of cgroups of both versions.
#include "autograd/machine/processors.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "autograd/machine/parallel.h"
#include "tests/catch.h"
#include "tests/temporary_directory.h"

using namespace regard;
using namespace regard::tests;

namespace {

using Files = std::map<std::string, std::string>;

/// Four cores with two threads each: processors 0 and 4, 1 and 5, 2 and 6, 3 and 7.
Files four_cores() {
  Files files;
  for (int i = 0; i < 8; ++i)
    files[fmt::format("sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", i)] =
        fmt::format("{},{}\n", i % 4, i % 4 + 4);
  return files;
}

Processors found(const std::vector<int>& allowed, const Files& files) {
  const TemporaryDirectory root;
  for (const auto& [name, text] : files) {
    std::filesystem::create_directories(std::filesystem::path(root / name).parent_path());
    root.file(name, text);
  }
  return detail::find_processors(allowed, root / "");
}

/// The number of cores on four cores with these files.
int count(const Files& more) {
  Files files = four_cores();
  files.insert(more.begin(), more.end());
  return found({0, 1, 2, 3, 4, 5, 6, 7}, files).count();
}

Files in_version_2(const std::string& file, const std::string& text) {
  return {{"proc/self/cgroup", "0::/pod/box\n"}, {"sys/fs/cgroup/" + file, text}};
}

Files in_version_1(const std::string& folder, const std::string& quota, const std::string& period) {
  return {{"proc/self/cgroup", "3:memory:/other\n2:cpuacct,cpu:/pod/box\n1:cpuset:/set\n0::/\n"},
          {"sys/fs/cgroup/" + folder + "cpu.cfs_quota_us", quota},
          {"sys/fs/cgroup/" + folder + "cpu.cfs_period_us", period}};
}

}  // namespace

TEST_CASE("threads of one core count once") {
  const auto cores = [](const std::vector<int>& allowed, const Files& files) {
    const Processors processors = found(allowed, files);
    CHECK(processors.limit == std::string("physical cores"));
    return processors.cores;
  };
  CHECK(cores({0, 1, 2, 3, 4, 5, 6, 7}, four_cores()) == std::vector{0, 1, 2, 3});
  CHECK(cores({1, 3, 5}, four_cores()) == std::vector{1, 3});
  CHECK(cores({6, 7}, four_cores()) == std::vector{2, 3});  // a core has one name for all processes
  CHECK(cores({0, 1, 2000}, {}) == std::vector{0, 1, 2000});
  CHECK(cores({2, 3}, {{"sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2-3\n"},
                       {"sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "2-3\n"}}) ==
        std::vector{2});
}

TEST_CASE("the quota of a container limits the cores, rounded up") {
  CHECK(count({}) == 4);
  CHECK(count(in_version_2("pod/box/cpu.max", "max 100000\n")) == 4);
  CHECK(count(in_version_2("pod/box/cpu.max", "200000 100000\n")) == 2);
  CHECK(count(in_version_2("pod/cpu.max", "250000 100000\n")) == 3);
  CHECK(count(in_version_2("cpu.max", "1000 100000\n")) == 1);
  CHECK(count(in_version_2("cpu.max", "900000 100000\n")) == 4);
  CHECK(count(in_version_2("pod/other/cpu.max", "100000 100000\n")) == 4);
  Files two = in_version_2("pod/box/cpu.max", "300000 100000\n");
  two["sys/fs/cgroup/cpu.max"] = "100000 50000\n";
  CHECK(count(two) == 2);

  CHECK(count(in_version_1("cpu/pod/box/", "-1\n", "100000\n")) == 4);
  CHECK(count(in_version_1("cpu/pod/box/", "150000\n", "50000\n")) == 3);
  CHECK(count(in_version_1("cpu/", "150000\n", "100000\n")) == 2);
  CHECK(count(in_version_1("cpu/set/", "100000\n", "100000\n")) == 4);  // the path of another controller
  CHECK(found({4, 5, 6, 7}, in_version_2("cpu.max", "150000 100000\n")).cores == std::vector{4, 5});
  CHECK(found({4, 5}, in_version_2("cpu.max", "100000 100000\n")).limit ==
        std::string("quota of the container"));
}

TEST_CASE("who sets the number of threads gives a reason") {
  const int before = threads();
  set_threads(before, "a test");
  CHECK(threads_origin() == std::string("a test"));
  CHECK_THROWS(set_threads(0, "nobody"));
  CHECK(threads_origin() == std::string("a test"));
  set_threads(before);
  CHECK(threads_origin() == std::string("set_threads"));
}
