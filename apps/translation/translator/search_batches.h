#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/index.h"
#include "transformer/search/sampling.h"
#include "transformer/search/search.h"

namespace regard::translation {

/// The ids of a sentence and </s>.
std::vector<std::int32_t> with_end(std::vector<std::int32_t> ids);

/// Throws Error for a beam wider than the target vocabulary. `name` is the beam's name in the message.
void check_beam(const char* name, Index beam, Index vocabulary);

/// Source tokens searched together, unless said otherwise, with a beam of up to 8.
constexpr Index default_search_tokens = 2048;

/// Searches the translations of tokenised sentences (without </s>) in batches of similar length, each of up
/// to `batch_tokens` source tokens; a longer sentence makes a batch of its own. As memory goes with the
/// hypotheses, a beam of more than 8 makes batches so much smaller.
std::vector<std::vector<transformer::Hypothesis>> search_all(
    transformer::EncoderDecoder& model, const std::vector<std::vector<std::int32_t>>& sources,
    const transformer::SearchOptions& options, Index batch_tokens = default_search_tokens);

/// The same for samples (transformer/search/sampling.h), in batches so much smaller as there are more of a
/// sentence; of one alone, 1,024 are drawn at a time. `numbers` are the numbers of the sentences; empty: 0,
/// 1, 2, …
std::vector<std::vector<transformer::Hypothesis>> sample_all(
    transformer::EncoderDecoder& model, const std::vector<std::vector<std::int32_t>>& sources,
    const transformer::SamplingOptions& options, std::span<const Index> numbers = {},
    Index batch_tokens = default_search_tokens);

}  // namespace regard::translation
