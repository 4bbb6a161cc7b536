// The solution of exercise 6.
#include <cmath>

#include "apps/exercises/in_cpp/checks.h"

Matrix positions(int n, int d) {
  Matrix table(n, d);
  for (int pos = 0; pos < n; ++pos)
    for (int i = 0; i < d / 2; ++i) {
      const double angle = pos / std::pow(10000.0, 2.0 * i / d);
      table(pos, 2 * i) = std::sin(angle);
      table(pos, 2 * i + 1) = std::cos(angle);
    }
  return table;
}

int main() { return check_6(positions); }
