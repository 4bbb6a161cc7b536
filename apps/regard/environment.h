#pragma once

namespace regard::program {

/// Shortens the time for which OpenMP's threads spin while they wait for the next parallel loop. By default,
/// they spin for milliseconds with GCC's library and for 200 ms with LLVM's. If other programs need the
/// processors, each loop then waits for a thread that has no processor, and the program runs fifty times
/// slower. Some 100 microseconds are enough. The libraries read their settings before main, so this function
/// sets them and starts the program again, once. It does nothing if the user has set one of them.
void limit_spinning(char** arguments);

}  // namespace regard::program
