// Exercise 4: the causal mask. exercise_04.py says what to do.
#include "apps/exercises/in_cpp/checks.h"

/// weights(i, j) = e^score(i, j) / sum over k <= i of e^score(i, k) for j <= i, and 0 for j > i (Vaswani et
/// al. 2017, section 3.2.3). score [n, n]: row i belongs to query i, column j to key j. Returns the weights
/// [n, n].
Matrix causal_softmax(const Matrix& /*score*/) { not_filled_in(); }

int main() { return check_4(causal_softmax); }
