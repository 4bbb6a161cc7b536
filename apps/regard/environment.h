#pragma once

namespace regard::program {

/// Shortens the time for which OpenMP's threads spin while they wait for the next parallel loop. By default,
/// they spin for milliseconds with GCC's library and for 200 ms with LLVM's. If other programs need the
/// processors, each loop then waits for a thread that has no processor, and the program runs fifty times
/// slower. Some 100 microseconds are enough. Call this before the first parallel loop. Does nothing if the
/// user has set one of the variables OMP_WAIT_POLICY, GOMP_SPINCOUNT and KMP_BLOCKTIME.
///
/// GCC's library reads its variables before main. environment.cpp explains how it is reached.
void limit_spinning();

}  // namespace regard::program
