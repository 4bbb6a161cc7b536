#pragma once

namespace regard::program {

/// Reads the command line, runs its subcommand and returns the exit code. Throws regard::Error.
int run_command_line(int argc, const char* const* argv);

}  // namespace regard::program
