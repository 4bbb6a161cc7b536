#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/translation/processes/processes.h"
#include "autograd/machine/error.h"

// Values that processes tell each other, and work that they divide. A process alone packs and sends nothing.

namespace regard::translation {

/// Returns the value of each process, in the order of the ranks. The type must be convertible to JSON.
template <class Value>
std::vector<Value> gather(Processes& processes, const Value& value) {
  if (processes.alone()) return {value};
  std::vector<Value> values;
  std::string own;
  nlohmann::json::to_cbor(value, own);  // keeps all bits of a number
  for (const std::string& bytes : processes.all_gather(own))
    values.push_back(nlohmann::json::from_cbor(bytes).get<Value>());
  return values;
}

/// Returns the value that `make` returns in the first process. The others do not call it.
template <class Make, class Value = std::invoke_result_t<Make>>
Value of_first(Processes& processes, const Make& make) {
  if (processes.alone()) return make();
  std::vector<Value> values = gather(processes, processes.first() ? make() : Value());
  return std::move(values.front());
}

/// Returns true if the answer of at least one process is true.
inline bool any(Processes& processes, bool answer) {
  if (processes.alone()) return answer;
  return std::ranges::count(gather(processes, answer), true) > 0;
}

/// Calls task(0), …, task(count - 1) in this process: at the same time, each on one thread, if there are
/// enough of them for all threads; otherwise one after another, each on all threads. The tasks may come in
/// any order and record no gradients. If some throw, the exception of the first of them is thrown when all
/// have ended.
void run_tasks(std::size_t count, const std::function<void(std::size_t task)>& task);

/// Returns compute(0), …, compute(tasks - 1). Several processes divide the tasks, and each gets all results.
/// So what a caller sums up from the results does not depend on the number of processes.
template <class Compute>
auto compute_all(std::size_t tasks, const Compute& compute, Processes& processes = one_process()) {
  using Result = std::invoke_result_t<Compute, std::size_t>;
  const std::size_t count = to_size(processes.count()), rank = to_size(processes.rank());
  std::vector<Result> own((tasks + count - 1 - rank) / count);
  run_tasks(own.size(), [&](std::size_t i) { own[i] = compute(rank + i * count); });
  if (processes.alone()) return own;
  std::vector<std::vector<Result>> of_each = gather(processes, own);
  std::vector<Result> results;
  for (std::size_t task = 0; task < tasks; ++task)
    results.push_back(std::move(of_each[task % count][task / count]));
  return results;
}

/// set_threads for a number that the user has given. Warns if this process has fewer processors.
void use_threads(int count, const char* origin);

}  // namespace regard::translation
