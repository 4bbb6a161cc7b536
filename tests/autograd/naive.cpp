#include "tests/autograd/naive.h"

#include <algorithm>
#include <cmath>

#include "autograd/checked_cast.h"

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

bool attention_keeps(const AttentionOptions& options, const Segment& sentence, Index head, Index i, Index j) {
  if (options.dropout.probability == 0) return true;
  const Index row = (sentence.query_begin + i / 16 * 16) * options.heads + head;
  return dropout_keeps(static_cast<double>(options.dropout.probability), options.dropout.key,
                       static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(j * 16 + i % 16));
}

Attention attention(const Numbers& query, const Numbers& key, const Numbers& value, std::size_t width,
                    const Segments& sentences, const AttentionOptions& options) {
  const auto heads = to_size(options.heads);
  const std::size_t d_k = width / heads;
  Attention result{Numbers(query.size(), 0), {}};
  for (const Segment& s : sentences) {
    const auto n = to_size(s.query_end - s.query_begin);
    const auto m = to_size(s.key_end - s.key_begin);
    result.weights.emplace_back(heads * n * m, 0.0);
    for (std::size_t head = 0; head < heads; ++head) {
      const Numbers q = block(query, width, s.query_begin, s.query_end, head * d_k, d_k);
      const Numbers k = block(key, width, s.key_begin, s.key_end, head * d_k, d_k);
      const Numbers v = block(value, width, s.key_begin, s.key_end, head * d_k, d_k);
      const Numbers scores = matmul(q, transpose(k, m, d_k), n, d_k, m);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t visible = !options.causal ? m : m + i + 1 > n ? m + i + 1 - n : 0;
        if (visible == 0) continue;
        Numbers row(scores.begin() + static_cast<std::ptrdiff_t>(i * m),
                    scores.begin() + static_cast<std::ptrdiff_t>(i * m + visible));
        for (double& score : row) score /= std::sqrt(static_cast<double>(d_k));
        const Numbers p = softmax(row);
        const auto query_row = to_size(s.query_begin) + i;
        for (std::size_t j = 0; j < visible; ++j) {
          result.weights.back()[(head * n + i) * m + j] = p[j];
          const bool kept = attention_keeps(options, s, to_index(head), to_index(i), to_index(j));
          const double factor = kept ? 1 / (1 - static_cast<double>(options.dropout.probability)) : 0;
          for (std::size_t c = 0; c < d_k; ++c)
            result.out[query_row * width + head * d_k + c] += factor * p[j] * v[j * d_k + c];
        }
      }
    }
  }
  return result;
}

}  // namespace regard::tests::naive
