// Attention over packed sentences: the rows of all sentences stand one after another, without padding. This
// file is compiled once for each precision.
#include "apps/python/src/bind.h"
#include "apps/python/src/module.h"
#include "autograd/autograd.h"
#include "autograd/reference/attention.h"
#include "nn/general_attention/pairs.h"

namespace regard::python { inline namespace REGARD_PRECISION {

namespace {

using namespace nb::literals;

/// Without segments, the rows are one sentence.
Segments segments_or_all(const Sentences& given, const Tensor& query, const Tensor& key) {
  if (!given.segments) return {{0, query.size(0), 0, key.size(0)}};
  const Index end = given.segments->empty() ? 0 : given.segments->back().query_end;
  if (given.were_offsets && (end != query.size(0) || end != key.size(0)))
    fail(
        "attention: the offsets end at {}, and there are {} rows of queries and {} of keys; offsets end with "
        "the number of rows; regard.segments(query_offsets, key_offsets) takes both",
        end, query.size(0), key.size(0));
  return *given.segments;
}

void add_attention(Operations& to) {
  function(
      to, "attention",
      [](const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
         const Sentences& segments, Index heads, bool causal, Real dropout, std::uint64_t dropout_key,
         Real scale, const std::vector<Real>& slopes, const Tensor& relative) {
        return attention(query, key, value, segments_or_all(segments, query.matrix, key.matrix),
                         {heads, causal, {dropout, dropout_key}, scale, slopes, relative});
      },
      "query"_a, "key"_a, "value"_a, "segments"_a.none() = nb::none(), nb::kw_only(), "heads"_a = 1,
      "causal"_a = false, "dropout"_a = 0.0, "dropout_key"_a = 0, "scale"_a = 0.0, "slopes"_a = nb::tuple(),
      "relative"_a.none() = nb::none(),
      R"(Scaled dot-product attention, softmax(scale Q K^T) V (Vaswani et al. 2017, eq. 1), of all sentences and heads.

query[query rows, width], key[key rows, width], value[key rows, width] -> [query rows, width]
          (matrix, first, columns) reads some columns of a matrix in place, so that one product can compute
          queries, keys and values side by side
segments  which queries look at which keys: regard.segments(query_offsets, key_offsets), or the offsets of sentences
          that look at themselves, [0, 3, 5] for one of 3 rows and one of 2; None: one sentence
heads     head h reads the columns h d_k .. (h+1) d_k, with d_k = width / heads
causal    of n queries and m keys, query i sees the keys 0 .. m-n+i
dropout   on the weights, at random by dropout_key
scale     the factor of Q K^T; 0: 1 / sqrt(d_k)
slopes    ALiBi: the score of a key is lowered by slopes[head] |distance| (Press et al. 2022)
relative  [query rows heads, 2 radius + 1]: number radius + distance of row t heads + h is added to q . k (Shaw et
          al. 2018)

A query without a key to look at gives zeros. regard.reference.attention is the same in plain loops. Error if the shapes,
the segments or the heads do not fit. PyTorch: torch.nn.functional.scaled_dot_product_attention.

>>> x = regard.randn(5, 8)
>>> regard.attention(x, x, x, [0, 3, 5], heads=2, causal=True).shape
(5, 8))");
  function(
      to, "attention_weights",
      [](const ColumnSlice& query, const ColumnSlice& key, const Sentences& segments, Index heads,
         bool causal, Real scale, const std::vector<Real>& slopes, const Tensor& relative) {
        return attention_weights(query, key, segments_or_all(segments, query.matrix, key.matrix),
                                 {heads, causal, {}, scale, slopes, relative});
      },
      "query"_a, "key"_a, "segments"_a.none() = nb::none(), nb::kw_only(), "heads"_a = 1, "causal"_a = false,
      "scale"_a = 0.0, "slopes"_a = nb::tuple(), "relative"_a.none() = nb::none(),
      R"(The weights of attention(): for each sentence a tensor [heads, queries, keys], without a gradient.

Arguments and errors as in attention(). Source: Vaswani et al. 2017, eq. 1.

>>> x = regard.zeros(3, 4)
>>> regard.attention_weights(x, x, causal=True)[0][0]
Tensor[3, 3] [[1.    , 0.    , 0.    ],
              [0.5   , 0.5   , 0.    ],
              [0.3333, 0.3333, 0.3333]])");
  function(
      to, "rotary", &rotary, "x"_a, "turned"_a, "table"_a, "positions"_a,
      R"(Rotary positions (Su et al. 2021) for the first `turned` columns of x[rows, width] -> the same shape.

table[positions, d_k] has sin a_i in column 2i and cos a_i in column 2i + 1; positions has the position of each row.
Error if the shapes do not fit.

>>> table = regard.tensor([[0.0, 1.0], [1.0, 0.0]])    # angles 0 and pi/2
>>> regard.rotary(regard.tensor([[3.0, 4.0], [3.0, 4.0]]), 2, table, [0, 1])
Tensor[2, 2] [[ 3.,  4.],
              [-4.,  3.]])");
}

/// Attention in plain loops, which check nothing: the fast operation checks the arguments first.
void add_reference(Operations& to) {
  function(
      to, {"reference_attention", "reference.attention"},
      [](const Tensor& query, const Tensor& key, const Tensor& value, const Sentences& given, Index heads,
         bool causal, Real scale) {
        const Segments segments = segments_or_all(given, query, key);
        const AttentionOptions options{.heads = heads, .causal = causal, .scale = scale};
        attention(query, key, value, segments, options);
        reference::AttentionResult found = reference::attention(query, key, value, segments, options);
        return std::tuple(found.out, found.weights);
      },
      "query"_a, "key"_a, "value"_a, "segments"_a.none() = nb::none(), nb::kw_only(), "heads"_a = 1,
      "causal"_a = false, "scale"_a = 0.0,
      R"(As regard.attention, but returns a pair: the result [query rows, width], and for each sentence the weights
[heads, queries, keys]. Records no gradient.

Errors as in regard.attention. Source: Vaswani et al. 2017, eq. 1, in plain loops.

>>> x = regard.eye(2)
>>> result, weights = regard.reference.attention(x, x, x)
>>> regard.allclose(result, regard.attention(x, x, x))
True)");
  function(
      to, {"reference_attention_backward", "reference.attention_backward"},
      [](const Tensor& dout, const Tensor& query, const Tensor& key, const Tensor& value,
         const Sentences& given, Index heads, bool causal, Real scale) {
        const Segments segments = segments_or_all(given, query, key);
        const AttentionOptions options{.heads = heads, .causal = causal, .scale = scale};
        if (attention(query, key, value, segments, options).shape() != dout.shape())
          fail("reference.attention_backward: the gradient's shape {} differs from the query's shape {}",
               to_string(dout.shape()), to_string(query.shape()));
        const auto d = reference::attention_backward(dout, query, key, value, segments, options);
        return std::tuple(d.query, d.key, d.value);
      },
      "dout"_a, "query"_a, "key"_a, "value"_a, "segments"_a.none() = nb::none(), nb::kw_only(), "heads"_a = 1,
      "causal"_a = false, "scale"_a = 0.0,
      R"(The gradients (dquery, dkey, dvalue) of attention() for dout = dL/dout [query rows, width].

Errors as in regard.attention. Source: the derivative of Vaswani et al. 2017, eq. 1, in plain loops.

>>> x = regard.eye(2)
>>> [gradient.shape for gradient in regard.reference.attention_backward(x, x, x, x)]
[(2, 2), (2, 2), (2, 2)])");
}

/// Attention pair by pair: scores, then weights, then the weighted sum. Scores and weights have a number for
/// each pair of a query and one of its keys, in the order of the KeyRanges.
void add_pairs(Operations& to) {
  function(to, "dot_scores", &dot_scores, "query"_a, "key"_a, "ranges"_a, "scale"_a = 1.0,
           R"(scale * query_i . key_j: query[queries, d], key[rows, d] -> [pairs].

Error if the shapes do not fit the ranges. Source: Luong et al. 2015, eq. 8 (dot).

>>> regard.dot_scores(regard.eye(2), regard.ones(2, 2), regard.all_keys([0, 2]))
Tensor[4] [1., 1., 1., 1.])");
  function(
      to, "additive_scores", &additive_scores, "query"_a, "key"_a, "v"_a, "ranges"_a,
      R"(v . tanh(query_i + key_j) (Bahdanau et al. 2015): query[queries, d], key[rows, d], v[d] -> [pairs].

Error if the shapes do not fit the ranges.

>>> regard.additive_scores(regard.zeros(2, 3), regard.zeros(2, 3), regard.ones(3), regard.all_keys([0, 2]))
Tensor[4] [0., 0., 0., 0.])");
  const auto weights = [&](const char* name, Normaliser normaliser, const char* documentation) {
    function(
        to, name,
        [=](const Tensor& scores, const KeyRanges& ranges) { return normalise(scores, ranges, normaliser); },
        "scores"_a, "ranges"_a, documentation);
  };
  weights("range_softmax", Normaliser::softmax,
          R"(Weights of the keys of each query, the softmax of their scores: scores[pairs] -> [pairs].

Error unless there is a score for each pair. Source: Bahdanau et al. 2015.

>>> regard.range_softmax(regard.zeros(3), regard.keys_up_to_query([0, 2]))
Tensor[3] [1. , 0.5, 0.5])");
  weights("range_sparsemax", Normaliser::sparsemax,
          R"(As range_softmax, but the nearest point of the simplex: low scores get the weight 0.

Error unless there is a score for each pair. Source: Martins and Astudillo 2016.

>>> regard.range_sparsemax(regard.tensor([0.0, 0.0, 3.0]), regard.keys_up_to_query([0, 2]))
Tensor[3] [1., 0., 1.])");
  weights("range_relu", Normaliser::relu, R"(As range_softmax, but max(0, score) / sum of max(0, score).

Error unless there is a score for each pair. Source: Zhang et al. 2021, who do not divide.

>>> regard.range_relu(regard.tensor([2.0, 1.0, 3.0]), regard.keys_up_to_query([0, 2]))
Tensor[3] [1.  , 0.25, 0.75])");
  weights(
      "range_sigmoid", Normaliser::sigmoid,
      R"(As range_softmax, but 1 / (1 + e^-(score - log n)) for a query with n keys (Ramapuram et al. 2024).

Error unless there is a score for each pair.

>>> regard.range_sigmoid(regard.zeros(3), regard.keys_up_to_query([0, 2]))
Tensor[3] [0.5   , 0.3333, 0.3333])");
  function(
      to, "gaussian_weights", &gaussian_weights, "weights"_a, "centre"_a, "deviation"_a, "ranges"_a,
      R"(weights_ij exp(-(position_j - centre_i)^2 / (2 deviation^2)): weights[pairs], centre[queries, 1] -> [pairs].

Error if the shapes do not fit the ranges. Source: Luong et al. 2015, eq. 10.

>>> ranges = regard.all_keys([0, 2])
>>> regard.gaussian_weights(regard.ones(4), regard.zeros(2, 1), 1.0, ranges)
Tensor[4] [1.    , 0.6065, 1.    , 0.6065])");
  function(to, "weighted_sum", &weighted_sum, "weights"_a, "value"_a, "ranges"_a,
           R"(sum_j weights_ij value_j: weights[pairs], value[rows, d] -> [queries, d].

Error if the shapes do not fit the ranges. Source: Bahdanau et al. 2015, eq. 5.

>>> regard.weighted_sum(regard.full((4,), 0.5), regard.tensor([[2.0], [4.0]]), regard.all_keys([0, 2]))
Tensor[2, 1] [[3.],
              [3.]])");
}

}  // namespace

void add_sequences(Operations& to) {
  add_attention(to);
  add_pairs(to);
  add_reference(to);
}

}}  // namespace regard::python::REGARD_PRECISION
