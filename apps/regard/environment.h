#pragma once

namespace regard::program {

/// OpenMP's threads wait for the next parallel loop by spinning: for milliseconds with GCC's library, for 200
/// with LLVM's. On a machine that is busy with something else, each loop then waits for a thread that waits
/// for its turn, and a program runs fifty times slower. A few microseconds are enough. The libraries read
/// their settings before main, so the program sets them and starts itself anew, once; settings that the user
/// made are left alone.
void limit_spinning(char** arguments);

}  // namespace regard::program
