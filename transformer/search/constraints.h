#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

// What may come after an unfinished translation, and what should rather not. Greedy search, beam search and
// sampling all ask here.

/// Whether any constraint is on. (max_length is none: it is looked at anyway.)
bool has_constraints(const SearchOptions& options);

/// The tokens that must not come after `tokens`: </s> before min_length, <unk> unless it may come, and what
/// would complete an n-gram that is there already. Words may be in the list more than once.
std::vector<std::int32_t> forbidden_after(std::span<const std::int32_t> tokens, const SearchOptions& options);

/// Makes every token that is among `tokens` less likely, once however often it is there: logits above 0 are
/// divided by `penalty`, others multiplied by it. (Keskar et al. 2019 divide all; a logit below 0 would
/// rise.)
void penalise_repetition(std::span<Real> logits, std::span<const std::int32_t> tokens, double penalty);

/// Readies the logits of the token after `tokens`: penalises repetition in place, and returns what must not
/// come. The logits of that stay as they are: NextTokens::best (search.cpp) and Urn::draw (sampling.cpp)
/// leave it out, so that a score remains the model's log-probability, and take </s> where nothing at all may
/// come.
std::vector<std::int32_t> constrain(std::span<Real> logits, std::span<const std::int32_t> tokens,
                                    const SearchOptions& options);

}}}  // namespace regard::REGARD_PRECISION::transformer
