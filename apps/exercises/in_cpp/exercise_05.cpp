// Exercise 5: several heads. exercise_05.py says what to do.
#include "apps/exercises/in_cpp/checks.h"

/// head_h = attention(Q_h, K_h, V_h), out = [head_0, head_1, ...] side by side (Vaswani et al. 2017,
/// section 3.2.2). query [n, d], key and value [m, d]; heads divides d. Head h has the columns from h d /
/// heads on. Returns out [n, d].
Matrix multi_head(const Matrix& /*query*/, const Matrix& /*key*/, const Matrix& /*value*/, int /*heads*/) {
  not_filled_in();
}

int main() { return check_5(multi_head); }
