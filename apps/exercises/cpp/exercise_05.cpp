// Exercise 5: several heads
//
//     head_h = attention(Q_h, K_h, V_h),  out = [head_0, head_1, ...] side by side
//                                                               (Vaswani et al. 2017, section 3.2.2)
//
// Q_h has the columns h d_k to (h + 1) d_k - 1 of Q, with d_k = d / heads, and K_h and V_h likewise. Each
// head is exercise 3 with this d_k. Then: cmake --build build --target exercise_5
#include "apps/exercises/cpp/checks.h"

using namespace exercises;

/// query [n, d], key [m, d], value [m, d]; heads divides d. Returns out [n, d].
Matrix multi_head(const Matrix& /*query*/, const Matrix& /*key*/, const Matrix& /*value*/, int /*heads*/) {
  not_filled_in();
}

int main() { return check_5(multi_head); }
