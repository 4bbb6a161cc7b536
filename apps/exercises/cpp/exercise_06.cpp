// Exercise 6: sinusoidal positions
//
//     table(pos, 2i)     = sin(pos / 10000^(2i/d))
//     table(pos, 2i + 1) = cos(pos / 10000^(2i/d))              (Vaswani et al. 2017, section 3.5)
//
// pos = 0, 1, ..., n - 1 and i = 0, 1, ..., d/2 - 1. Then: cmake --build build --target exercise_6
#include "apps/exercises/cpp/checks.h"

using namespace exercises;

/// n positions, even width d. Returns the table [n, d].
Matrix positions(int /*n*/, int /*d*/) { not_filled_in(); }

int main() { return check_6(positions); }
