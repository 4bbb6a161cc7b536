// The solution of exercise 2.
#include <algorithm>
#include <cmath>

#include "apps/exercises/in_cpp/checks.h"

SoftmaxGradients softmax_backward(const Matrix& x, const Matrix& dy) {
  Matrix y(x.rows, x.columns), dx(x.rows, x.columns);
  for (int r = 0; r < x.rows; ++r) {
    double largest = x(r, 0), sum = 0, dot = 0;
    for (int i = 0; i < x.columns; ++i) largest = std::max(largest, x(r, i));
    for (int i = 0; i < x.columns; ++i) sum += y(r, i) = std::exp(x(r, i) - largest);
    for (int i = 0; i < x.columns; ++i) dot += dy(r, i) * (y(r, i) /= sum);
    for (int i = 0; i < x.columns; ++i) dx(r, i) = y(r, i) * (dy(r, i) - dot);
  }
  return {y, dx};
}

int main() { return check_2(softmax_backward); }
