#pragma once

// Slow and plain versions of what the engine does fast, on double-precision numbers.

#include "autograd/index.h"
#include "tests/autograd/support.h"

namespace regard::tests::naive {

/// [m, k] x [k, n]
Numbers matmul(const Numbers& a, const Numbers& b, std::size_t m, std::size_t k, std::size_t n);
/// [rows, columns] to [columns, rows]
Numbers transpose(const Numbers& x, std::size_t rows, std::size_t columns);
/// Of one row.
Numbers softmax(const Numbers& x);
/// Rows begin .. end and columns first .. first + width of x[.., columns].
Numbers block(const Numbers& x, std::size_t columns, Index begin, Index end, std::size_t first,
              std::size_t width);

/// True if dropout keeps the weight of query i for key j, both counted within the sentence. Random numbers
/// are drawn for 16 neighbouring queries of a head at a time, key by key.
bool attention_keeps(const AttentionOptions& options, const Segment& sentence, Index head, Index i, Index j);

/// Attention and its weights, [heads, queries, keys] for each sentence, from the definition: sentence by
/// sentence, head by head, query by query. All matrices have `width` columns.
struct Attention {
  Numbers out;
  std::vector<Numbers> weights;
};
Attention attention(const Numbers& query, const Numbers& key, const Numbers& value, std::size_t width,
                    const Segments& sentences, const AttentionOptions& options);

}  // namespace regard::tests::naive
