// One process by itself, and the processes that mpirun or another launcher has started. The program does not
// link with MPI. The module with MPI is loaded only here (mpi_processes.cpp).
#include "apps/translation/processes/processes.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>

#include "apps/translation/files/module.h"
#include "apps/translation/processes/sharing.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/profile.h"
#include "autograd/machine/surroundings.h"

namespace regard::translation {

namespace {

class OneProcess : public Processes {
 public:
  Index rank() const override { return 0; }
  Index count() const override { return 1; }
  std::vector<std::string> all_gather(const std::string& bytes) override { return {bytes}; }
  void broadcast(std::span<Real>) override {}
  void exchange(std::span<const Transfer>, std::span<const Transfer>) override {}
  void abort() override { std::_Exit(1); }
};

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

/// Returns the function of this name in the module with MPI, or null. `reason` is then the reason.
void* find_in_mpi(const char* name, std::string& reason) {
  reason = "this program was built without MPI, or its file regard_mpi.so is not beside it";
  return find_in_module("regard_mpi.so", name, reason);
}

}  // namespace

Processes& one_process() {
  static OneProcess process;  // has no state
  return process;
}

void run_tasks(std::size_t count, const std::function<void(std::size_t)>& task) {
  std::vector<std::exception_ptr> exceptions(count);
  // A few threads share a task well. Many do not: there, a thread that waits for the last task costs less.
  // A profile that times loops predicts many threads, and runs all tasks on this one.
  constexpr std::size_t enough_tasks = 8;
  const bool timed = profiling() && OnThread<Profile>::innermost()->times_loops();
  const bool at_the_same_time =
      count >= (timed ? enough_tasks : std::min(2 * to_size(threads()), enough_tasks)) &&
      (timed || !bound_to_thread());
  const NoGrad no_grad;
  const auto run_some = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const std::size_t number = count - 1 - to_size(i);  // batches are sorted; the longest go first
      try {
        task(number);
      } catch (...) {
        exceptions[number] = std::current_exception();
      }
    }
  };
  if (at_the_same_time)
    parallel_for(to_index(count), 1, run_some);
  else
    run_some(0, to_index(count));
  for (const std::exception_ptr& exception : exceptions)
    if (exception != nullptr) std::rethrow_exception(exception);
}

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

std::unique_ptr<Processes> connect(const Launched& launched) {
  if (launched.count == 1) return nullptr;
  std::string reason;
  void* const function = find_in_mpi(connect_function, reason);
  if (function == nullptr)
    fail(
        "a launcher such as mpirun has started several processes of regard, but they cannot work together: "
        "{}; install libopenmpi-dev and build regard again, or start one process",
        reason);
  std::unique_ptr<Processes> processes(reinterpret_cast<ConnectFunction*>(function)());
  if (launched.count != 0 && processes->count() != launched.count)
    fail(
        "the launcher has started {} processes, but {} sees {}; start regard with the mpirun of this library",
        launched.count, mpi_version(), processes->count());
  if (processes->alone()) return nullptr;
  return processes;
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
