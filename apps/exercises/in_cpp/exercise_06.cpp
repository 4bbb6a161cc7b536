// Exercise 6: sinusoidal positions. exercise_06.py says what to do.
#include "apps/exercises/in_cpp/checks.h"

/// table(pos, 2i) = sin(pos / 10000^(2i/d)), table(pos, 2i + 1) = cos(pos / 10000^(2i/d)) (Vaswani et al.
/// 2017, section 3.5), for pos = 0 ... n - 1 and i = 0 ... d/2 - 1. d is even. Returns the table [n, d].
Matrix positions(int /*n*/, int /*d*/) { not_filled_in(); }

int main() { return check_6(positions); }
