// The solution of exercise 1.
#include <cmath>

#include "apps/exercises/in_cpp/checks.h"

NeuronGradients backward(double w, double x, double b, double t) {
  const double z = w * x + b, y = std::tanh(z);
  const double dy = 2 * (y - t);
  const double dz = dy * (1 - y * y);
  return {(y - t) * (y - t), dz * x, dz * w, dz};
}

int main() { return check_1(backward); }
