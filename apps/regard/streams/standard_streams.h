#pragma once

namespace regard::program {

/// If a standard descriptor was closed before the program began, the first file that the program opens would
/// get its number, and messages would go into that file. So this opens /dev/null there, in a mode in which
/// reads or writes fail as on a closed descriptor.
void occupy_standard_descriptors();

/// The caller of the program may have made standard output or standard error non-blocking. The C library then
/// drops text that a slow reader does not take at once. After this call, stdout, std::cout and stderr wait
/// for the reader. Other descriptors stay as they are.
void wait_for_slow_readers();

}  // namespace regard::program
