// The solution of exercise 3.
#include <algorithm>
#include <cmath>

#include "apps/exercises/in_cpp/checks.h"

Attention attention(const Matrix& query, const Matrix& key, const Matrix& value) {
  Matrix weights(query.rows, key.rows), out(query.rows, value.columns);
  const double root = std::sqrt(query.columns);
  for (int i = 0; i < query.rows; ++i) {
    double largest = -INFINITY, sum = 0;
    for (int j = 0; j < key.rows; ++j) {
      for (int c = 0; c < query.columns; ++c) weights(i, j) += query(i, c) * key(j, c) / root;
      largest = std::max(largest, weights(i, j));
    }
    for (int j = 0; j < key.rows; ++j) sum += weights(i, j) = std::exp(weights(i, j) - largest);
    for (int j = 0; j < key.rows; ++j) weights(i, j) /= sum;
    for (int j = 0; j < key.rows; ++j)
      for (int c = 0; c < value.columns; ++c) out(i, c) += weights(i, j) * value(j, c);
  }
  return {weights, out};
}

int main() { return check_3(attention); }
