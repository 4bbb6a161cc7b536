#pragma once

#include <string>

namespace regard::program {

/// Returns the text of --version: the version, the library for products and its kernels, the instruction set,
/// the MPI library, the number of threads and the speed of one product.
std::string version();

}  // namespace regard::program
