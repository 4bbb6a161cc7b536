#pragma once

#include <string>
#include <vector>

#include "apps/translation/processes/message.h"
#include "apps/translation/processes/processes.h"

namespace regard::translation {

/// Divides tasks 0, 1, …, tasks - 1 among the processes. Calls compute(task, writer), which writes the result
/// of the task, in one process for each task. Then calls read(task, reader) for all tasks, in their order and
/// in every process. So what `read` sums up does not depend on the number of processes. If compute returns
/// false, the process computes no further task; then read(task) must return false too.
template <class Compute, class Read>
void deal_out(Processes& processes, std::size_t tasks, const Compute& compute, const Read& read) {
  const std::size_t count = to_size(processes.count());
  MessageWriter own;
  for (std::size_t task = to_size(processes.rank()); task < tasks; task += count)
    if (!compute(task, own)) break;
  const std::vector<std::string> results = processes.all_gather(own.bytes());
  std::vector<MessageReader> readers(results.begin(), results.end());
  for (std::size_t task = 0; task < tasks; ++task)
    if (!read(task, readers[task % count])) return;
}

}  // namespace regard::translation
