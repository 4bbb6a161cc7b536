#pragma once

#include <functional>
#include <vector>

#include "apps/translation/processes/agreement.h"

namespace regard::program {

/// Calls `work` with the processes that mpirun or another launcher has started, or with this process alone.
/// Returns its exit code.
///
/// Only the first process prints; the standard output and the warnings of the others go nowhere. Each process
/// gets its share of the processors of its machine. If `work` throws in one process, all processes end, and
/// one sentence on standard error tells the reason and, unless it is the first process, the rank and the
/// host. The processes first compare their version and these options. If they differ, nothing is done.
int on_all_processes(const std::vector<translation::Fact>& options,
                     const std::function<int(translation::Processes& processes)>& work);

/// True if standard output is a terminal that a person reads. Open MPI gives its processes a pseudo-terminal
/// even if its own output goes into a file.
bool prints_on_terminal(const translation::Processes& processes);

}  // namespace regard::program
