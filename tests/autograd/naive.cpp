#include "tests/autograd/naive.h"

#include <algorithm>
#include <cmath>

#include "autograd/error.h"

namespace regard::tests::naive {

Numbers matmul(const Numbers& a, const Numbers& b, std::size_t m, std::size_t k, std::size_t n) {
  Numbers c(m * n, 0);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l) c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

Numbers transpose(const Numbers& x, std::size_t rows, std::size_t columns) {
  Numbers y(x.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) y[j * rows + i] = x[i * columns + j];
  return y;
}

Numbers softmax(const Numbers& x) {
  const double largest = *std::max_element(x.begin(), x.end());
  Numbers y;
  double sum = 0;
  for (const double value : x) sum += std::exp(value - largest);
  for (const double value : x) y.push_back(std::exp(value - largest) / sum);
  return y;
}

Numbers block(const Numbers& x, std::size_t columns, Index begin, Index end, std::size_t first,
              std::size_t width) {
  Numbers result;
  for (auto row = to_size(begin); row < to_size(end); ++row)
    for (std::size_t i = first; i < first + width; ++i) result.push_back(x[row * columns + i]);
  return result;
}

}  // namespace regard::tests::naive
