#include "transformer/search/token_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/checked_cast.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

TokenSampler::TokenSampler(Index vocabulary) : weights_(to_size(vocabulary)), ids_(weights_.size()) {}

std::optional<std::int32_t> TokenSampler::draw(std::span<const Real> logits,
                                               std::span<const std::int32_t> excluded,
                                               const SamplingOptions& options, double place) noexcept {
  const bool greedy = options.temperature == 0;
  set_weights(logits, excluded, greedy ? 1 : options.temperature);
  keep_likeliest(greedy ? 1 : options.top_k, options.top_p);
  place *= std::accumulate(weights_.begin(), weights_.end(), 0.0);
  std::optional<std::int32_t> drawn;
  for (std::size_t id = 0; id < weights_.size(); ++id) {
    if (weights_[id] == 0) continue;
    drawn = static_cast<std::int32_t>(id);
    place -= weights_[id];
    if (place < 0) break;
  }
  return drawn;
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
  std::ranges::make_heap(ids_,
                         less_likely);  // the likeliest in front; few are taken, so a heap beats sorting
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

}}}  // namespace regard::REGARD_PRECISION::transformer
