#include "apps/sampling/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/profile.h"
#include "autograd/machine/random.h"
#include "autograd/ops.h"
#include "transformer/embeddings.h"
#include "transformer/search/step_loop.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

/// weight = exp((logit - largest) / temperature), the softmax without its sum; 0 for excluded tokens.
std::vector<double> weights_of(std::span<const Real> logits, std::span<const std::int32_t> excluded,
                               double temperature) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  std::vector<double> weights(logits.begin(), logits.end());
  for (const std::int32_t id : excluded) weights[to_size(id)] = never;
  const double largest = *std::ranges::max_element(weights);
  for (double& weight : weights) weight = weight == never ? 0 : std::exp((weight - largest) / temperature);
  return weights;
}

/// The ids that are left when the likeliest of `ids` are taken one by one until they have the share top_p.
/// `less_likely` compares two ids.
template <class Compare>
std::span<const std::int32_t> outside_nucleus(std::span<std::int32_t> ids, const std::vector<double>& weights,
                                              double top_p, const Compare& less_likely) {
  double wanted = 0;
  for (const std::int32_t id : ids) wanted += top_p * weights[to_size(id)];
  // The likeliest in front. Few are taken, so a heap is faster than sorting.
  std::ranges::make_heap(ids, less_likely);
  for (double taken = 0; !ids.empty() && taken < wanted; ids = ids.first(ids.size() - 1)) {
    taken += weights[to_size(ids.front())];
    std::ranges::pop_heap(ids, less_likely);
  }
  return ids;
}

/// Sets the weights of all other tokens to 0.
void keep_likeliest(std::vector<double>& weights, Index top_k, double top_p) {
  const std::size_t count = to_size(top_k);
  const bool limited = count > 0 && count < weights.size();
  if (!limited && top_p == 1) return;
  // Of equally likely tokens, the smaller id comes first.
  const auto likelier = [&](std::int32_t a, std::int32_t b) {
    const double of_a = weights[to_size(a)], of_b = weights[to_size(b)];
    return of_a != of_b ? of_a > of_b : a < b;
  };
  const auto drop = [&](std::span<const std::int32_t> ids) {
    for (const std::int32_t id : ids) weights[to_size(id)] = 0;
  };
  std::vector<std::int32_t> all(weights.size());
  std::iota(all.begin(), all.end(), 0);
  std::span<std::int32_t> ids(all);
  if (limited) {
    std::ranges::nth_element(ids, ids.begin() + top_k, likelier);
    drop(ids.subspan(count));
    ids = ids.first(count);
  }
  if (top_p < 1)
    drop(
        outside_nucleus(ids, weights, top_p, [&](std::int32_t a, std::int32_t b) { return likelier(b, a); }));
}

/// Samples from softmax(logits / temperature) of the allowed tokens, after top_k and top_p. `place`, a
/// uniform random number in [0, 1), is a place in the cumulative distribution, whose order is that of the
/// ids. If the sampled token is not allowed, another one is sampled without it; the place within the part of
/// the refused token is uniform, too. Returns </s> if no token is allowed.
std::int32_t sample_token(const Allowed& allowed, const SamplingOptions& options, double place) {
  const bool greedy = options.temperature == 0;
  std::vector<std::int32_t> excluded = allowed.forbidden;
  excluded.insert(excluded.end(), {padding_id, sentence_begin_id});
  while (true) {
    std::vector<double> weights = weights_of(allowed.logits, excluded, greedy ? 1 : options.temperature);
    keep_likeliest(weights, greedy ? 1 : options.top_k, options.top_p);
    place *= std::accumulate(weights.begin(), weights.end(), 0.0);
    std::optional<std::int32_t> sampled;
    for (std::size_t id = 0; id < weights.size(); ++id) {
      if (weights[id] == 0) continue;
      sampled = static_cast<std::int32_t>(id);
      place -= weights[id];
      if (place < 0) break;
    }
    if (!sampled || allowed.logits[to_size(*sampled)] <= never_predicted) return sentence_end_id;
    if (allowed.allows(*sampled)) return *sampled;
    excluded.push_back(*sampled);
    place = 1 + place / weights[to_size(*sampled)];
  }
}

/// In [0, 1), 53 random bits: for the next token of one sample of one sentence.
double random_number(std::uint64_t seed, Index sentence_number, const Unfinished& unfinished) {
  const auto sentence = static_cast<std::uint64_t>(sentence_number);
  const auto block =
      philox({static_cast<std::uint32_t>(unfinished.length()), static_cast<std::uint32_t>(unfinished.sample),
              static_cast<std::uint32_t>(sentence), static_cast<std::uint32_t>(sentence >> 32)},
             seed);
  const std::uint64_t bits = (std::uint64_t{block[1]} << 32) | block[0];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// The next token of each unfinished translation.
std::vector<std::int32_t> sample_tokens(const NextLogits& next, const std::vector<Unfinished>& live,
                                        const SamplingOptions& options,
                                        std::span<const Index> sentence_numbers) {
  std::vector<std::int32_t> tokens(live.size());
  parallel_for(to_index(live.size()), 1, [&](Index i, Index) {
    const std::size_t row = to_size(i);
    const Index sentence = live[row].sentence;
    const Index number = sentence_numbers.empty() ? sentence : sentence_numbers[to_size(sentence)];
    const Allowed& allowed = next.allowed[row];
    tokens[row] = allowed.only
                      ? *allowed.only
                      : sample_token(allowed, options, random_number(options.seed, number, live[row]));
  });
  return tokens;
}

}  // namespace

void check(const SamplingOptions& options) {
  if (!std::isfinite(options.temperature) || options.temperature < 0)
    fail("sampling: temperature is {}; it must be finite and not negative", options.temperature);
  if (options.top_k < 0) fail("sampling: top_k is {}; it must not be negative", options.top_k);
  if (!(options.top_p > 0 && options.top_p <= 1))
    fail("sampling: top_p is {}; it must be above 0 and at most 1", options.top_p);
  if (options.search.n_best < 1 || options.search.n_best > most_samples)
    fail("sampling: n_best is {}; it must be from 1 to {}", options.search.n_best, most_samples);
  if (options.first_sample < 0 || options.first_sample > most_samples)
    fail("sampling: first_sample is {}; it must be from 0 to {}", options.first_sample, most_samples);
  SearchOptions search = options.search;
  search.beam = search.n_best;
  check(search);
}

std::vector<std::vector<Hypothesis>> sample_search(EncoderDecoder& model, const Source& source,
                                                   const SamplingOptions& options,
                                                   std::span<const Index> sentence_numbers) {
  const Span span("sample_search", Span::Kind::other);  // its own time: the samples
  check(options);
  const Index sentences = source.sentences();
  if (!sentence_numbers.empty() && to_index(sentence_numbers.size()) != sentences)
    fail("sampling: there are {} sentences, but {} numbers of them", sentences, sentence_numbers.size());
  std::vector<Unfinished> unfinished;
  for (Index i = 0; i < sentences; ++i)
    for (Index n = 0; n < options.search.n_best; ++n)
      unfinished.push_back(
          {.sentence = i,
           .sample = options.first_sample + n,
           .greatest_length = greatest_length(options.search, model.encoder().length(source, i))});
  std::vector<std::vector<Hypothesis>> result(to_size(sentences),
                                              std::vector<Hypothesis>(to_size(options.search.n_best)));
  run_steps(model, source, std::move(unfinished), options.search,
            [&](const NextLogits& next, const std::vector<Unfinished>& live) {
              const LargestLogits normaliser = largest_logits(next.logits, 1);  // refuses NaN and infinity
              const std::vector<std::int32_t> tokens = sample_tokens(next, live, options, sentence_numbers);
              std::vector<Extension> extensions;
              for (std::size_t row = 0; row < live.size(); ++row) {
                const Extension extension = next.allowed[row].extension(
                    row, tokens[row], static_cast<double>(normaliser.log_sum_exp[row]));
                if (extension.token == sentence_end_id)
                  result[to_size(live[row].sentence)][to_size(live[row].sample - options.first_sample)] =
                      finished(live[row], extension.log_probability, options.search);
                else
                  extensions.push_back(extension);
              }
              return extensions;
            });
  return result;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
