// Exercise 4: the causal mask
//
//     weights(i, j) = e^score(i, j) / sum over k <= i of e^score(i, k)          for j <= i
//     weights(i, j) = 0                                                         for j > i
//
// A decoder writes one word after another, so word i may look at the words 0 to i (itself too), and at none
// that comes later (Vaswani et al. 2017, section 3.2.3). Scores can be 1000. Then: cmake --build build
// --target exercise_4
#include "apps/exercises/cpp/checks.h"

using namespace exercises;

/// score [n, n]: row i belongs to query i, column j to key j. Returns the weights [n, n].
Matrix causal_softmax(const Matrix& /*score*/) { not_filled_in(); }

int main() { return check_4(causal_softmax); }
