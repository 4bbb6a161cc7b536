#include "nn/attention_by_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

namespace {

/// [rows, heads d_k] -> [heads rows, d_k]. Row h rows + t is head h of row t.
Tensor heads_to_rows(const ColumnSlice& x, Index heads) {
  const Index rows = x.matrix.size(0), d_k = x.width / heads;
  const Tensor columns = slice(x.matrix, 1, x.first, x.first + x.width);
  return reshape(transpose(reshape(columns, {rows, heads, d_k}), 0, 1), {heads * rows, d_k});
}

/// [heads rows, d_k] -> [rows, heads d_k]
Tensor rows_to_heads(const Tensor& x, Index heads) {
  const Index rows = x.size(0) / heads, d_k = x.size(1);
  return reshape(transpose(reshape(x, {heads, rows, d_k}), 0, 1), {rows, heads * d_k});
}

/// The sentences of the first head, of the second head, and so on.
Segments sentences_of_heads(const Segments& segments, Index heads, Index query_rows, Index key_rows) {
  Segments all;
  for (Index h = 0; h < heads; ++h)
    for (const Segment& s : segments)
      all.push_back({h * query_rows + s.query_begin, h * query_rows + s.query_end, h * key_rows + s.key_begin,
                     h * key_rows + s.key_end});
  return all;
}

/// Calls use(pair, row of the query, position of the key, position of the query) for all pairs of a head.
template <class Use>
void for_each_pair(const KeyRanges& ranges, const Segments& segments, Index head, Index query_rows,
                   const Use& use) {
  for (const Segment& s : segments)
    for (Index t = s.query_begin; t < s.query_end; ++t) {
      const Index query = head * query_rows + t, position = s.key_end - s.key_begin - (s.query_end - t);
      for (Index key = 0; key < ranges.count(query); ++key)
        use(ranges.offsets[to_size(query)] + key, t, key, position);
    }
}

/// The terms of the distance that the options have, for each pair; nothing if they have none.
Tensor distance_terms(const KeyRanges& ranges, const Segments& segments, Index query_rows, Real scale,
                      const AttentionOptions& options) {
  Tensor terms;
  if (options.relative) {
    const Index width = options.relative.size(1), radius = width / 2;
    std::vector<std::int32_t> places(to_size(ranges.pairs()));
    for (Index h = 0; h < options.heads; ++h)
      for_each_pair(ranges, segments, h, query_rows, [&](Index pair, Index t, Index key, Index position) {
        const Index distance = std::clamp(key - position, -radius, radius);
        places[to_size(pair)] =
            static_cast<std::int32_t>((t * options.heads + h) * width + radius + distance);
      });
    terms = gather(reshape(options.relative, {options.relative.size()}), 0, places) * scale;
  }
  if (!options.slopes.empty()) {
    const Tensor penalties = Tensor::empty({ranges.pairs()});
    for (Index h = 0; h < options.heads; ++h)
      for_each_pair(ranges, segments, h, query_rows, [&](Index pair, Index, Index key, Index position) {
        penalties.data()[pair] = -options.slopes[to_size(h)] * static_cast<Real>(std::abs(key - position));
      });
    terms = terms ? terms + penalties : penalties;
  }
  return terms;
}

/// The weights of each sentence, [heads, queries, keys], with zeros for hidden keys.
AttentionWeights matrices(const Tensor& pairs, const KeyRanges& ranges, const Segments& segments, Index heads,
                          Index query_rows) {
  AttentionWeights result;
  for (const Segment& s : segments) {
    const Index queries = s.query_end - s.query_begin, keys = s.key_end - s.key_begin;
    const Tensor weights = Tensor::zeros({heads, queries, keys});
    for (Index h = 0; h < heads; ++h)
      for (Index t = 0; t < queries; ++t) {
        const Index query = h * query_rows + s.query_begin + t;
        std::copy_n(pairs.data() + ranges.offsets[to_size(query)], ranges.count(query),
                    weights.data() + (h * queries + t) * keys);
      }
    result.push_back(weights);
  }
  return result;
}

}  // namespace

Tensor attention_by_pairs(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                          const Segments& segments, const AttentionOptions& options, Normaliser normaliser,
                          AttentionWeights* weights) {
  const Index heads = options.heads, rows = query.matrix.size(0);
  const Segments sentences = sentences_of_heads(segments, heads, rows, key.matrix.size(0));
  const KeyRanges ranges = options.causal ? keys_up_to_query(sentences) : all_keys(sentences);
  const Real scale =
      options.scale > 0 ? options.scale : 1 / std::sqrt(static_cast<Real>(query.width / heads));
  Tensor scores = dot_scores(heads_to_rows(query, heads), heads_to_rows(key, heads), ranges, scale);
  if (const Tensor terms = distance_terms(ranges, segments, rows, scale, options)) scores = scores + terms;
  const Tensor all = normalise(scores, ranges, normaliser);
  if (weights != nullptr) *weights = matrices(all, ranges, segments, heads, rows);
  const Tensor dropped = options.dropout.probability > 0 ? dropout(all, options.dropout) : all;
  return rows_to_heads(weighted_sum(dropped, heads_to_rows(value, heads), ranges), heads);
}

}}}  // namespace regard::REGARD_PRECISION::nn
