// Exercise 3: scaled dot-product attention
//
//     score = Q K^T / sqrt(d_k),  weights = softmax of each row of score,  out = weights V
//                                                               (Vaswani et al. 2017, equation 1)
//
// score(i, j) says how well key j answers query i. Row i of out is the mean of the values under the weights
// of query i. Why the root? exercise_03.py says it. Then: cmake --build build --target exercise_3
#include "apps/exercises/cpp/checks.h"

using namespace exercises;

/// query [n, d_k], key [m, d_k], value [m, d_v]. Returns {weights, out}: [n, m] and [n, d_v].
Attention attention(const Matrix& /*query*/, const Matrix& /*key*/, const Matrix& /*value*/) {
  not_filled_in();
}

int main() { return check_3(attention); }
