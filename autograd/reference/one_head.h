#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "autograd/machine/error.h"
#include "autograd/reference/attention.h"

// What the loops of reference/attention.cpp read and write: one head of one sentence, by the indices t
// (query), s (key) and c (column of the head). For that file only.

namespace regard { inline namespace REGARD_PRECISION { namespace reference {

/// The rows of one sentence and the columns of one head in a packed matrix: x(row, column).
class Part {
 public:
  Part(const Tensor& matrix, Index first_row, Index first_column)
      : first_(matrix.data() + first_row * matrix.size(1) + first_column), stride_(matrix.size(1)) {}
  Real& operator()(Index row, Index column) const { return first_[row * stride_ + column]; }

 private:
  Real* first_;
  Index stride_;
};

/// A number for each key that a query sees, zeros at first.
class Row {
 public:
  explicit Row(Index size) : numbers_(to_size(size), 0) {}
  Real& operator[](Index s) { return numbers_[to_size(s)]; }
  Real operator[](Index s) const { return numbers_[to_size(s)]; }

 private:
  std::vector<Real> numbers_;
};

struct Head {
  Segment sentence;
  AttentionOptions options;
  Index h, d_k;
  Part q, k, v;

  Index queries() const { return sentence.query_end - sentence.query_begin; }
  Index keys() const { return sentence.key_end - sentence.key_begin; }
  /// Query t sees the first visible(t) keys. With the causal mask the last query sees all keys, the one
  /// before it one key less, and so on.
  Index visible(Index t) const {
    return options.causal ? std::max<Index>(keys() - (queries() - 1 - t), 0) : keys();
  }
  Real scale() const { return options.scale > 0 ? options.scale : 1 / std::sqrt(static_cast<Real>(d_k)); }
  /// The position of key s minus the position of query t. The last query has the position of the last key.
  Index distance(Index t, Index s) const { return s - (t + keys() - queries()); }
  /// The number of options.relative, or of its gradient, that belongs to query t and key s.
  Real& relative(const Tensor& numbers, Index t, Index s) const {
    const Index radius = (numbers.size(1) - 1) / 2;
    const Index place = radius + std::clamp(distance(t, s), -radius, radius);
    return Part(numbers, (sentence.query_begin + t) * options.heads + h, 0)(0, place);
  }
  /// Dropout's factor for the weight of query t and key s.
  Real m(Index t, Index s) const {
    return attention_keeps(options, sentence, h, t, s) ? 1 / (1 - options.dropout.probability) : 0;
  }
};

/// Calls visit(number of the sentence, head) for each head of each sentence.
template <class Visit>
void for_each_head(const Tensor& query, const Tensor& key, const Tensor& value, const Segments& segments,
                   const AttentionOptions& options, const Visit& visit) {
  const Index d_k = query.size(1) / options.heads;
  for (std::size_t i = 0; i < segments.size(); ++i)
    for (Index h = 0; h < options.heads; ++h) {
      const Segment& sentence = segments[i];
      const Index column = h * d_k;
      visit(i, Head{sentence, options, h, d_k, Part(query, sentence.query_begin, column),
                    Part(key, sentence.key_begin, column), Part(value, sentence.key_begin, column)});
    }
}

}}}  // namespace regard::REGARD_PRECISION::reference
