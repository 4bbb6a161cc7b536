#pragma once

#include <string>

namespace regard::program {

class Launcher;

/// Returns the text of --version: the version, the library for products and its kernels, the instruction set,
/// the line of the launcher, the number of threads, the speed of one product, and where to read about others.
std::string version(const Launcher& launcher);

/// Returns the GFLOP/s of one product of 1024 x 1024 x 1024 on all threads: the best of five.
double product_speed();

}  // namespace regard::program
