#pragma once

#include <cstddef>

namespace regard::program {

/// Returns the number of characters in a row of standard output: the environment variable COLUMNS if it is a
/// number of at least 1, or else the width of the terminal. If standard output is no terminal, a row has no
/// limit, and the result is the largest number.
std::size_t terminal_width();

}  // namespace regard::program
