#include "transformer/search/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/error.h"
#include "autograd/ops.h"
#include "autograd/parallel.h"
#include "autograd/profile.h"
#include "autograd/random.h"
#include "transformer/search/step_loop.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

TokenSampler::TokenSampler(Index vocabulary) : weights_(to_size(vocabulary)), ids_(weights_.size()) {}

std::optional<std::int32_t> TokenSampler::sample(std::span<const Real> logits,
                                                 std::span<const std::int32_t> excluded,
                                                 const SamplingOptions& options, double place) noexcept {
  const bool greedy = options.temperature == 0;
  set_weights(logits, excluded, greedy ? 1 : options.temperature);
  keep_likeliest(greedy ? 1 : options.top_k, options.top_p);
  place *= std::accumulate(weights_.begin(), weights_.end(), 0.0);
  std::optional<std::int32_t> sampled;
  for (std::size_t id = 0; id < weights_.size(); ++id) {
    if (weights_[id] == 0) continue;
    sampled = static_cast<std::int32_t>(id);
    place -= weights_[id];
    if (place < 0) break;
  }
  return sampled;
}

/// weight = exp((logit - largest) / temperature), the softmax without its sum; 0 for excluded tokens.
void TokenSampler::set_weights(std::span<const Real> logits, std::span<const std::int32_t> excluded,
                               double temperature) {
  constexpr double never = -std::numeric_limits<double>::infinity();
  std::ranges::copy(logits, weights_.begin());
  for (const std::int32_t id : excluded) weights_[to_size(id)] = never;
  const double largest = *std::ranges::max_element(weights_);
  for (double& weight : weights_) weight = weight == never ? 0 : std::exp((weight - largest) / temperature);
}

/// Of equally likely tokens, the smaller id comes first.
bool TokenSampler::likelier(std::int32_t a, std::int32_t b) const {
  const double of_a = weights_[to_size(a)], of_b = weights_[to_size(b)];
  return of_a != of_b ? of_a > of_b : a < b;
}

/// Sets the weights of all other tokens to 0.
void TokenSampler::keep_likeliest(Index top_k, double top_p) {
  const std::size_t count = to_size(top_k);
  const bool limited = count > 0 && count < weights_.size();
  if (!limited && top_p == 1) return;
  ids_.resize(weights_.size());
  std::iota(ids_.begin(), ids_.end(), 0);
  if (limited) {
    std::ranges::nth_element(ids_, ids_.begin() + top_k,
                             [this](std::int32_t a, std::int32_t b) { return likelier(a, b); });
    drop(std::span(ids_).subspan(count));
    ids_.resize(count);
  }
  if (top_p < 1) drop(outside_nucleus(top_p));
}

/// The ids that are left in ids_ when the likeliest are taken one by one until they have the share top_p.
std::span<const std::int32_t> TokenSampler::outside_nucleus(double top_p) {
  const auto less_likely = [this](std::int32_t a, std::int32_t b) { return likelier(b, a); };
  double wanted = 0;
  for (const std::int32_t id : ids_) wanted += top_p * weights_[to_size(id)];
  // The likeliest in front. Few are taken, so a heap is faster than sorting.
  std::ranges::make_heap(ids_, less_likely);
  std::size_t left = ids_.size();
  for (double taken = 0; left > 0 && taken < wanted; --left) {
    taken += weights_[to_size(ids_.front())];
    std::pop_heap(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(left), less_likely);
  }
  return std::span(ids_).first(left);
}

void TokenSampler::drop(std::span<const std::int32_t> ids) {
  for (const std::int32_t id : ids) weights_[to_size(id)] = 0;
}

namespace {

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

/// Samples the tokens of a batch. Each thread has a sampler of its own.
class BatchSampler {
 public:
  BatchSampler(const SamplingOptions& options, std::span<const Index> sentence_numbers, Index vocabulary)
      : options_(options),
        sentence_numbers_(sentence_numbers),
        samplers_(to_size(threads()), TokenSampler(vocabulary)) {}

  /// The next token of each unfinished translation.
  std::vector<std::int32_t> sample(const NextLogits& next, const std::vector<Unfinished>& live) {
    std::vector<std::vector<std::int32_t>> excluded;
    for (std::size_t row = 0; row < live.size(); ++row) {
      const auto forbidden = next.forbidden_in(row);
      excluded.emplace_back(forbidden.begin(), forbidden.end());
      excluded.back().insert(excluded.back().end(), {padding_id, sentence_begin_id});
    }
    std::vector<std::int32_t> tokens(live.size(), sentence_end_id);
    parallel_for(to_index(live.size()), 1, [&](Index begin, Index end, int worker) {
      for (std::size_t row = to_size(begin); row < to_size(end); ++row) {
        if (live[row].must_end()) continue;
        const double place = random_number(options_.seed, number_of(live[row].sentence), live[row]);
        tokens[row] = samplers_[to_size(worker)]
                          .sample(next.row(row), excluded[row], options_, place)
                          .value_or(sentence_end_id);
      }
    });
    return tokens;
  }

 private:
  Index number_of(Index sentence) const {
    return sentence_numbers_.empty() ? sentence : sentence_numbers_[to_size(sentence)];
  }

  const SamplingOptions& options_;
  std::span<const Index> sentence_numbers_;
  std::vector<TokenSampler> samplers_;
};

}  // namespace

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
  BatchSampler sampler(options, sentence_numbers, model.target_vocabulary());
  run_steps(model, source, std::move(unfinished), options.search,
            [&](const NextLogits& next, const std::vector<Unfinished>& live) {
              const LargestLogits normaliser = largest_logits(next.logits, 1);  // refuses NaN and infinity
              const std::vector<std::int32_t> tokens = sampler.sample(next, live);
              std::vector<Extension> extensions;
              for (std::size_t row = 0; row < live.size(); ++row) {
                const double log_probability = live[row].log_probability +
                                               static_cast<double>(next.row(row)[to_size(tokens[row])]) -
                                               static_cast<double>(normaliser.log_sum_exp[row]);
                if (tokens[row] == sentence_end_id)
                  result[to_size(live[row].sentence)][to_size(live[row].sample - options.first_sample)] =
                      finished(live[row], log_probability, options.search);
                else
                  extensions.push_back({row, tokens[row], log_probability});
              }
              return extensions;
            });
  return result;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
