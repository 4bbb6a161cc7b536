// Exercise 3: scaled dot-product attention. exercise_03.py says what to do.
#include "apps/exercises/in_cpp/checks.h"

/// score = Q K^T / sqrt(d_k), weights = softmax of each row of score, out = weights V (Vaswani et al. 2017,
/// eq. 1). query [n, d_k], key [m, d_k], value [m, d_v]. Returns {weights, out}: [n, m] and [n, d_v].
Attention attention(const Matrix& /*query*/, const Matrix& /*key*/, const Matrix& /*value*/) {
  not_filled_in();
}

int main() { return check_3(attention); }
