#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

// Constraints on the next token of an unfinished translation, for greedy search, beam search and sampling.

/// True if any constraint is on. (max_length is not one of them: every search respects it.)
bool has_constraints(const SearchOptions& options);

/// The tokens that must not come after `tokens`: </s> before min_length, <unk> without generate_unk, and
/// every token that would complete an n-gram that `tokens` already has. The list may hold a token more than
/// once.
std::vector<std::int32_t> forbidden_after(std::span<const std::int32_t> tokens, const SearchOptions& options);

/// Makes every token that is among `tokens` less likely, each of them once: logits above 0 are divided by
/// `penalty`, others are multiplied by it. (Keskar et al. 2019 divide all, which raises a logit below 0.)
void penalise_repetition(std::span<Real> logits, std::span<const std::int32_t> tokens, double penalty);

/// Applies the repetition penalty to the logits of the token after `tokens`, in place, and returns the tokens
/// that must not come. Their logits stay, so that scores remain log-probabilities of the model; the searches
/// leave these tokens out, and take </s> if no token is left.
std::vector<std::int32_t> constrain(std::span<Real> logits, std::span<const std::int32_t> tokens,
                                    const SearchOptions& options);

}}}  // namespace regard::REGARD_PRECISION::transformer
