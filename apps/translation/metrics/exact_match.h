#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"

namespace regard::translation {

/// For each sentence: true if its translation equals the reference. Empty if the sentence does not count.
using ExactMatches = std::vector<std::optional<bool>>;

/// Compares texts word by word, where blanks separate words. Only `options.lowercase` matters.
ExactMatches exact_matches(const std::vector<std::string>& hypotheses,
                           const std::vector<std::string>& references, const BleuOptions& options);

/// Returns the share of the sentences that count whose translation equals the reference, or nothing if no
/// sentence counts.
std::optional<double> exact_match(const ExactMatches& exact);

}  // namespace regard::translation
