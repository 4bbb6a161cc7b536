#include "apps/translation/processes/sharing.h"

#include <exception>

#include "apps/translation/files/warning.h"
#include "apps/translation/text/counted.h"
#include "autograd/graph.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/processors.h"
#include "autograd/machine/profile.h"
#include "autograd/machine/surroundings.h"

namespace regard::translation {

Processes& one_process() {
  static Processes process;  // has no state
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

void use_threads(int count, const char* origin) {
  set_threads(count, origin);
  if (count <= processors().count()) return;
  warn("{} is {}, but the program has only {} ({}); more threads than processors make it slower", origin,
       count, counted(processors().count(), "processor"), processors().limit);
}

}  // namespace regard::translation
