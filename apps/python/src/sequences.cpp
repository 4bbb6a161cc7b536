// Operations on packed sentences, attention and recurrences, and on images, which are packed alike: the rows
// of all sentences stand one after another, without padding. This file is compiled once for each precision.
#include "apps/python/src/bind.h"
#include "apps/python/src/module.h"
#include "autograd/autograd.h"
#include "autograd/reference/attention.h"
#include "nn/convolution/convolution.h"
#include "nn/general_attention/pairs.h"
#include "nn/recurrent/recurrence.h"

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

A query without a key to look at gives zeros. regard.reference.attention is the same in plain loops.)");
  function(
      to, "attention_weights",
      [](const ColumnSlice& query, const ColumnSlice& key, const Sentences& segments, Index heads,
         bool causal, Real scale, const std::vector<Real>& slopes, const Tensor& relative) {
        return attention_weights(query, key, segments_or_all(segments, query.matrix, key.matrix),
                                 {heads, causal, {}, scale, slopes, relative});
      },
      "query"_a, "key"_a, "segments"_a.none() = nb::none(), nb::kw_only(), "heads"_a = 1, "causal"_a = false,
      "scale"_a = 0.0, "slopes"_a = nb::tuple(), "relative"_a.none() = nb::none(),
      "The weights of attention(): for each sentence a tensor [heads, queries, keys], without a gradient.");
  function(to, "rotary", &rotary, "x"_a, "turned"_a, "table"_a, "positions"_a,
           "Rotary positions (Su et al. 2021) for the first `turned` columns of x[rows, width].\n"
           "table[positions, d_k] has sin a_i in column 2i and cos a_i in column 2i + 1; positions has\n"
           "the position of each row.");
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
      "As regard.attention, but returns a pair: the result [query rows, width], and for each sentence the\n"
      "weights [heads, queries, keys]. Records no gradient.");
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
      "The gradients (dquery, dkey, dvalue) of attention() for dout = dL/dout [query rows, width].");
}

/// Attention pair by pair: scores, then weights, then the weighted sum. Scores and weights have a number for
/// each pair of a query and one of its keys, in the order of the KeyRanges.
void add_pairs(Operations& to) {
  function(to, "dot_scores", &dot_scores, "query"_a, "key"_a, "ranges"_a, "scale"_a = 1.0,
           "scale * query_i . key_j: query[queries, d], key[rows, d] -> [pairs].");
  function(
      to, "additive_scores", &additive_scores, "query"_a, "key"_a, "v"_a, "ranges"_a,
      "v . tanh(query_i + key_j) (Bahdanau et al. 2015): query[queries, d], key[rows, d], v[d] -> [pairs].");
  const auto weights = [&](const char* name, Normaliser normaliser, const char* documentation) {
    function(
        to, name,
        [=](const Tensor& scores, const KeyRanges& ranges) { return normalise(scores, ranges, normaliser); },
        "scores"_a, "ranges"_a, documentation);
  };
  weights("range_softmax", Normaliser::softmax,
          "Weights of the keys of each query, their softmax: scores[pairs] -> [pairs].");
  weights("range_sparsemax", Normaliser::sparsemax,
          "As range_softmax, but the nearest point of the simplex: low scores get the weight 0 (Martins\n"
          "and Astudillo 2016).");
  weights("range_relu", Normaliser::relu, "As range_softmax, but max(0, score) / sum of max(0, score).");
  weights(
      "range_sigmoid", Normaliser::sigmoid,
      "As range_softmax, but 1 / (1 + e^-(score - log n)) for a query with n keys (Ramapuram et al. 2024).");
  function(to, "gaussian_weights", &gaussian_weights, "weights"_a, "centre"_a, "deviation"_a, "ranges"_a,
           "weights_ij exp(-(position_j - centre_i)^2 / (2 deviation^2)) (Luong et al. 2015); "
           "centre[queries, 1].");
  function(to, "weighted_sum", &weighted_sum, "weights"_a, "value"_a, "ranges"_a,
           "sum_j weights_ij value_j: weights[pairs], value[rows, d] -> [queries, d].");
}

void add_recurrences(Operations& to) {
  function(to, "gru", &gru, "gates"_a, "weight_hh"_a, "bias_hh"_a, "initial_state"_a.none(), "steps"_a,
           "The state of a GRU after each row, for gates = linear(x, weight_ih, bias_ih) and steps =\n"
           "TimeSteps(offsets): gates[rows, 3d], weight_hh[3d, d], bias_hh[3d], initial_state[sentences,\n"
           "d] or None -> [rows, d]. The gates have PyTorch's order.");
  function(
      to, "lstm",
      [](const Tensor& gates, const Tensor& weight_hh, const Tensor& bias_hh, const Tensor& state,
         const Tensor& cell, const TimeSteps& steps) {
        const LstmResult found = lstm(gates, weight_hh, bias_hh, state, cell, steps);
        return std::tuple(found.output, found.cells);
      },
      "gates"_a, "weight_hh"_a, "bias_hh"_a, "initial_state"_a.none(), "initial_cell"_a.none(), "steps"_a,
      "As gru, with gates[rows, 4d]: the states [rows, d], and the last cell of each sentence [sentences, "
      "d].");
}

/// x[pixels, channels], with (height, width) of each image in `planes`; their pixels stand one after another.
void add_images(Operations& to) {
  function(
      to, "conv2d",
      [](const Tensor& x, const Planes& planes, const Tensor& weight, const Tensor& bias, Index stride,
         Index padding) {
        const Index size = weight.rank() > 0 ? weight.size(-1) : 0;
        return conv2d(x, planes, weight, bias, {size, stride, padding});
      },
      "x"_a, "planes"_a, "weight"_a, "bias"_a.none() = nb::none(), "stride"_a = 1, "padding"_a = 0,
      "The convolution of torch.nn.Conv2d, of images with (height, width) in `planes`, whose pixels stand\n"
      "one after another: x[pixels, in], weight[out, in, size, size], bias[out] -> [places, out] with the\n"
      "planes places(planes, size, stride, padding).");
  const auto pool = [&](const char* name, const auto& f, const char* documentation) {
    function(
        to, name,
        [f](const Tensor& x, const Planes& planes, Index size, Index stride, Index padding) {
          return f(x, planes, {size, stride, padding});
        },
        "x"_a, "planes"_a, "size"_a, "stride"_a = 1, "padding"_a = 0, documentation);
  };
  pool("max_pool2d", &max_pool2d,
       "The greatest value under each place of a window: [pixels, channels] -> [places, channels].");
  pool("avg_pool2d", &avg_pool2d,
       "The sum under each place of a window, divided by size^2: [pixels, channels] -> [places, channels].");
}

}  // namespace

void add_sequences(Operations& to) {
  add_attention(to);
  add_pairs(to);
  add_recurrences(to);
  add_images(to);
  add_reference(to);
}

}}  // namespace regard::python::REGARD_PRECISION
