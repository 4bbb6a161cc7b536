// The solution of exercise 5.
#include <cmath>
#include <vector>

#include "apps/exercises/in_cpp/checks.h"

Matrix multi_head(const Matrix& query, const Matrix& key, const Matrix& value, int heads) {
  const int d_k = query.columns / heads;
  Matrix out(query.rows, query.columns);
  for (int h = 0; h < heads; ++h)
    for (int i = 0; i < query.rows; ++i) {
      std::vector<double> weights(static_cast<std::size_t>(key.rows));
      double sum = 0;
      for (int j = 0; j < key.rows; ++j) {
        double score = 0;
        for (int c = h * d_k; c < (h + 1) * d_k; ++c) score += query(i, c) * key(j, c) / std::sqrt(d_k);
        sum += weights[static_cast<std::size_t>(j)] = std::exp(score);
      }
      for (int j = 0; j < key.rows; ++j)
        for (int c = h * d_k; c < (h + 1) * d_k; ++c)
          out(i, c) += weights[static_cast<std::size_t>(j)] / sum * value(j, c);
    }
  return out;
}

int main() { return check_5(multi_head); }
