// Four letters count everywhere in this file: h heads, t queries, s keys, and c the d_k columns of a head.
// For one head of one sentence:
//
//   score(t, s) = sum over c of q(t, c) k(s, c) / sqrt(d_k)
//   p(t, s)     = e^score(t, s) / sum over s' of e^score(t, s')      for the keys that query t may see
//   out(t, c)   = sum over s of p(t, s) m(t, s) v(s, c)
//
// m(t, s) is the factor of dropout: 0 if it drops the weight, otherwise 1 / (1 - rate).
//
// Options change the score, with d = s - t, the distance of key and query, and a slope for each head:
//
//   a scale of its own       score(t, s) = scale (sum over c of q(t, c) k(s, c))
//   relative positions       score(t, s) = scale (sum over c of q(t, c) k(s, c) + r(t, clipped d))
//   ALiBi                    score(t, s) = score(t, s) - slope |d|
//
// A score says how well a query and a key fit. The softmax turns the scores of a query into weights that are
// positive and sum to 1. The output of the query is the mean of the values under these weights.
//
// Why 1/sqrt(d_k)? Suppose that the components of q and k are independent, with mean 0 and variance 1. Each
// product q(t, c) k(s, c) then has mean 0 and variance 1, and the sum of d_k of them has mean 0 and variance
// d_k. So without the factor, scores grow with the width of a head: with d_k = 64 they differ by about 8, and
// e^8 = 3000. The softmax then gives nearly all weight to one key. Such a softmax is saturated: its
// derivative, p(t, s) (1 - p(t, s)) or -p(t, s) p(t, s'), is nearly 0, so hardly any gradient reaches queries
// and keys. Divided by sqrt(d_k), the scores have variance 1 for every d_k (Vaswani et al. 2017,
// section 3.2.1 and footnote 4). `regard experiment C1` shows it.
#include "autograd/reference/attention.h"

#include <algorithm>
#include <cmath>

#include "autograd/machine/random.h"
#include "autograd/reference/one_head.h"

namespace regard { inline namespace REGARD_PRECISION { namespace reference {

namespace {

/// p(t, s) for all keys that query t sees.
Row softmax_of_scores(const Head& head, Index t) {
  const Index keys = head.visible(t);
  Row score(keys), p(keys);
  for (Index s = 0; s < keys; ++s) {
    for (Index c = 0; c < head.d_k; ++c) score[s] += head.q(t, c) * head.k(s, c) * head.scale();
    if (head.options.relative) score[s] += head.relative(head.options.relative, t, s) * head.scale();
    if (!head.options.slopes.empty())
      score[s] -= head.options.slopes[to_size(head.h)] * static_cast<Real>(std::abs(head.distance(t, s)));
  }

  // Subtracting the largest score changes no quotient, and no exponential can overflow.
  Real largest = keys > 0 ? score[0] : 0, sum = 0;
  for (Index s = 0; s < keys; ++s) largest = std::max(largest, score[s]);
  for (Index s = 0; s < keys; ++s) sum += std::exp(score[s] - largest);
  for (Index s = 0; s < keys; ++s) p[s] = std::exp(score[s] - largest) / sum;
  return p;
}

void forward(const Head& head, const Part& out, const Part& weights) {
  for (Index t = 0; t < head.queries(); ++t) {
    const Row p = softmax_of_scores(head, t);
    for (Index s = 0; s < head.visible(t); ++s) {
      const Real m = head.m(t, s);
      for (Index c = 0; c < head.d_k; ++c) out(t, c) += p[s] * m * head.v(s, c);
      weights(t, s) = p[s];
    }
  }
}

/// Goes through the forward from its last line to its first. Each comment repeats the line of the forward
/// that the code below it differentiates.
void backward(const Head& head, const Part& dout, const Part& dq, const Part& dk, const Part& dv,
              const Tensor& drelative) {
  for (Index t = 0; t < head.queries(); ++t) {
    const Index keys = head.visible(t);
    const Row p = softmax_of_scores(head, t);
    Row dp(keys), dscore(keys);

    // out(t, c) += p[s] * m * v(s, c)
    for (Index s = 0; s < keys; ++s) {
      const Real m = head.m(t, s);
      for (Index c = 0; c < head.d_k; ++c) {
        dp[s] += dout(t, c) * m * head.v(s, c);
        dv(s, c) += dout(t, c) * p[s] * m;
      }
    }

    // p[s] = e^score[s] / sum over i of e^score[i]
    // The derivative of p[s] by score[i] is p[s] (1 - p[s]) for i = s, and -p[s] p[i] for every other i.
    for (Index s = 0; s < keys; ++s)
      for (Index i = 0; i < keys; ++i) dscore[i] += dp[s] * p[s] * ((i == s ? 1 : 0) - p[i]);

    // score[s] += q(t, c) * k(s, c) * scale
    for (Index s = 0; s < keys; ++s)
      for (Index c = 0; c < head.d_k; ++c) {
        dq(t, c) += dscore[s] * head.k(s, c) * head.scale();
        dk(s, c) += dscore[s] * head.q(t, c) * head.scale();
      }

    // score[s] += relative(t, s) * scale
    if (drelative)
      for (Index s = 0; s < keys; ++s) head.relative(drelative, t, s) += dscore[s] * head.scale();
  }
}

}  // namespace

AttentionResult attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          const Segments& segments, const AttentionOptions& options) {
  AttentionResult result{Tensor::zeros(query.shape()), {}};
  for (const Segment& s : segments)
    result.weights.push_back(
        Tensor::zeros({options.heads, s.query_end - s.query_begin, s.key_end - s.key_begin}));
  for_each_head(query, key, value, segments, options, [&](std::size_t i, const Head& head) {
    const Tensor weights = result.weights[i].view({options.heads * head.queries(), head.keys()});
    forward(head, Part(result.out, head.sentence.query_begin, head.h * head.d_k),
            Part(weights, head.h * head.queries(), 0));
  });
  return result;
}

AttentionGradients attention_backward(const Tensor& dout, const Tensor& query, const Tensor& key,
                                      const Tensor& value, const Segments& segments,
                                      const AttentionOptions& options) {
  const AttentionGradients d{Tensor::zeros(query.shape()), Tensor::zeros(key.shape()),
                             Tensor::zeros(value.shape()),
                             options.relative ? Tensor::zeros(options.relative.shape()) : Tensor()};
  for_each_head(query, key, value, segments, options, [&](std::size_t, const Head& head) {
    const Index column = head.h * head.d_k, first_query = head.sentence.query_begin,
                first_key = head.sentence.key_begin;
    backward(head, Part(dout, first_query, column), Part(d.query, first_query, column),
             Part(d.key, first_key, column), Part(d.value, first_key, column), d.relative);
  });
  return d;
}

// Random numbers are drawn for 16 neighbouring queries at a time, for one column of K after the other.
bool attention_keeps(const AttentionOptions& options, const Segment& sentence, Index h, Index t, Index s) {
  const Index first = sentence.query_begin + t / 16 * 16;
  return dropout_keeps(static_cast<double>(options.dropout.probability), options.dropout.key,
                       static_cast<std::uint64_t>(first * options.heads + h),
                       static_cast<std::uint64_t>(s * 16 + t % 16));
}

}}}  // namespace regard::REGARD_PRECISION::reference
