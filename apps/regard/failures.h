#pragma once

namespace regard::program {

/// Prints one sentence about the exception that is being handled on standard error, after this beginning.
/// Call it in a catch block. Flushes standard output first, so that the order is right if both go to one
/// file.
void complain_of_exception(const char* beginning) noexcept;

}  // namespace regard::program
