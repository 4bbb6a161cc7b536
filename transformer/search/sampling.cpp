#include "transformer/search/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/checked_cast.h"
#include "autograd/error.h"
#include "autograd/graph.h"
#include "autograd/ops/softmax.h"
#include "autograd/parallel.h"
#include "autograd/random.h"
#include "transformer/decoding.h"
#include "transformer/search/constraints.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

void check(const SamplingOptions& options) {
  if (!std::isfinite(options.temperature) || options.temperature < 0)
    fail("sampling: temperature is {}; it must be finite and not negative", options.temperature);
  if (options.top_k < 0) fail("sampling: top_k is {}; it must not be negative", options.top_k);
  if (!(options.top_p > 0 && options.top_p <= 1))
    fail("sampling: top_p is {}; it must be above 0 and at most 1", options.top_p);
  if (options.search.n_best < 1 || options.search.n_best > most_samples)
    fail("sampling: n_best is {}; it must be from 1 to {}", options.search.n_best, most_samples);
  if (options.first_draw < 0 || options.first_draw > most_samples)
    fail("sampling: first_draw is {}; it must be from 0 to {}", options.first_draw, most_samples);
  SearchOptions search = options.search;
  search.beam = search.n_best;
  check(search);
}

namespace {

/// A translation that is being drawn.
struct Draw {
  Index sentence_number;
  Index number;  ///< of the draw, among those of its sentence
  Index greatest_length;
  Hypothesis* hypothesis;

  Index position() const { return to_index(hypothesis->tokens.size()); }
};

/// In [0, 1), 53 random bits: for one token of one draw.
double random_number(std::uint64_t seed, const Draw& draw) {
  const auto sentence = static_cast<std::uint64_t>(draw.sentence_number);
  const auto block =
      philox({static_cast<std::uint32_t>(draw.position()), static_cast<std::uint32_t>(draw.number),
              static_cast<std::uint32_t>(sentence), static_cast<std::uint32_t>(sentence >> 32)},
             seed);
  const std::uint64_t bits = (std::uint64_t{block[1]} << 32) | block[0];
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// Draws from one row of logits at a time. Its memory is asked for once, so that drawing cannot fail.
class Urn {
 public:
  explicit Urn(Index vocabulary) : weights_(to_size(vocabulary)), ids_(weights_.size()) {}

  /// The token whose share of the allowed probability holds `place`, in [0, 1), in the order of ids; </s>
  /// where nothing may come.
  std::int32_t draw(std::span<const Real> logits, std::span<const std::int32_t> forbidden,
                    const SamplingOptions& options, double place) {
    const bool greedy = options.temperature == 0;
    weigh(logits, forbidden, greedy ? 1 : options.temperature);
    keep_likeliest(greedy ? 1 : options.top_k, options.top_p);
    place *= std::accumulate(weights_.begin(), weights_.end(), 0.0);
    std::int32_t drawn = sentence_end_id;
    for (std::size_t id = 0; id < weights_.size(); ++id) {
      if (weights_[id] == 0) continue;
      drawn = static_cast<std::int32_t>(id);
      place -= weights_[id];
      if (place < 0) break;
    }
    return drawn;
  }

 private:
  /// weight = exp((logit - largest) / temperature), the softmax without its sum; 0 for what must not come.
  void weigh(std::span<const Real> logits, std::span<const std::int32_t> forbidden, double temperature) {
    constexpr double never = -std::numeric_limits<double>::infinity();
    std::ranges::copy(logits, weights_.begin());
    weights_[padding_id] = weights_[sentence_begin_id] = never;
    for (const std::int32_t id : forbidden) weights_[to_size(id)] = never;
    const double largest = *std::ranges::max_element(weights_);
    for (double& weight : weights_) weight = weight == never ? 0 : std::exp((weight - largest) / temperature);
  }

  /// Weighs all other tokens with 0. Of equally likely ones, the smaller id goes first.
  void keep_likeliest(Index top_k, double top_p) {
    const auto count = to_size(top_k);
    const bool limited = count > 0 && count < weights_.size();
    if (!limited && top_p == 1) return;
    const auto likelier = [this](std::int32_t a, std::int32_t b) {
      const double of_a = weights_[to_size(a)], of_b = weights_[to_size(b)];
      return of_a != of_b ? of_a > of_b : a < b;
    };
    ids_.resize(weights_.size());
    std::iota(ids_.begin(), ids_.end(), 0);
    if (limited) {
      std::ranges::nth_element(ids_, ids_.begin() + top_k, likelier);
      drop(std::span(ids_).subspan(count));
      ids_.resize(count);
    }
    if (top_p < 1)
      drop(outside_nucleus(top_p, [&](std::int32_t a, std::int32_t b) { return likelier(b, a); }));
  }

  /// Those of ids_ that are left when the likeliest have been taken until they make up top_p of all.
  template <class Less>
  std::span<const std::int32_t> outside_nucleus(double top_p, const Less& less_likely) {
    double wanted = 0;
    for (const std::int32_t id : ids_) wanted += top_p * weights_[to_size(id)];
    std::ranges::make_heap(ids_, less_likely);  // the likeliest at the front; few are taken, so no sorting
    std::size_t left = ids_.size();
    for (double taken = 0; left > 0 && taken < wanted; --left) {
      taken += weights_[to_size(ids_.front())];
      std::pop_heap(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(left), less_likely);
    }
    return std::span(ids_).first(left);
  }

  void drop(std::span<const std::int32_t> ids) {
    for (const std::int32_t id : ids) weights_[to_size(id)] = 0;
  }

  std::vector<double> weights_;    ///< of each token of the vocabulary
  std::vector<std::int32_t> ids_;  ///< in no order
};

/// The next token of each draw, one row of logits each. An urn for each thread.
std::vector<std::int32_t> draw_tokens(std::vector<Urn>& urns, const Tensor& logits,
                                      const std::vector<Draw>& draws, const SamplingOptions& options) {
  const auto columns = to_size(logits.size(1));
  const auto row_of = [&](std::size_t row) { return logits.values().subspan(row * columns, columns); };
  std::vector<std::vector<std::int32_t>> forbidden(draws.size());
  if (has_constraints(options.search))
    for (std::size_t row = 0; row < draws.size(); ++row)
      forbidden[row] = constrain(row_of(row), draws[row].hypothesis->tokens, options.search);

  const LargestLogits normaliser = largest_logits(logits, 1);  // refuses what is not finite
  std::vector<std::int32_t> tokens(draws.size());
  parallel_for(to_index(draws.size()), 1, [&](Index begin, Index end, int worker) {
    for (auto row = to_size(begin); row < to_size(end); ++row)
      tokens[row] = draws[row].position() == draws[row].greatest_length
                        ? sentence_end_id
                        : urns[to_size(worker)].draw(row_of(row), forbidden[row], options,
                                                     random_number(options.seed, draws[row]));
  });
  for (std::size_t row = 0; row < draws.size(); ++row)
    draws[row].hypothesis->log_probability += static_cast<double>(row_of(row)[to_size(tokens[row])]) -
                                              static_cast<double>(normaliser.log_sum_exp[row]);
  return tokens;
}

}  // namespace

std::vector<std::vector<Hypothesis>> sample_search(Transformer& model, const PackedSequences& source,
                                                   const SamplingOptions& options,
                                                   std::span<const Index> sentence_numbers) {
  const Span span("sample_search", Span::Kind::other);  // its own time: drawing
  check_target_vocabulary(model.config().target_vocabulary);
  check(options);
  const auto sentences = to_size(source.sentences());
  if (!sentence_numbers.empty() && sentence_numbers.size() != sentences)
    fail("sampling: there are {} sentences, but {} numbers of them", sentences, sentence_numbers.size());
  const NoGrad no_grad;
  IncrementalDecoder decoder(model, source);
  const auto draws_of_each = to_size(options.search.n_best);
  std::vector<std::vector<Hypothesis>> result(sentences, std::vector<Hypothesis>(draws_of_each));
  std::vector<Draw> live;
  std::vector<Continuation> continuations;
  for (std::size_t i = 0; i < sentences; ++i)
    for (std::size_t n = 0; n < draws_of_each; ++n) {
      const auto sentence = to_index(i);
      live.push_back(
          {sentence_numbers.empty() ? sentence : sentence_numbers[i], options.first_draw + to_index(n),
           greatest_length(options.search, source.offsets[i + 1] - source.offsets[i] - 1), &result[i][n]});
      continuations.push_back({sentence, {sentence_begin_id}});
    }
  std::vector<Urn> urns(to_size(threads()), Urn(model.config().target_vocabulary));
  while (!live.empty()) {
    const std::vector<std::int32_t> tokens =
        draw_tokens(urns, model.project(decoder.advance(continuations)), live, options);
    std::vector<Draw> still_live;
    continuations.clear();
    for (std::size_t row = 0; row < live.size(); ++row) {
      Hypothesis& hypothesis = *live[row].hypothesis;
      if (tokens[row] == sentence_end_id) {
        hypothesis.score =
            hypothesis.log_probability / length_penalty(options.search, live[row].position() + 1);
        continue;
      }
      hypothesis.tokens.push_back(tokens[row]);
      still_live.push_back(live[row]);
      continuations.push_back({to_index(row), {tokens[row]}});
    }
    live = std::move(still_live);
  }
  return result;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
