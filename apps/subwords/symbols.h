#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/subwords/subword_settings.h"

namespace regard::translation {

/// Throws Error if a symbol cannot be a piece, or if a pattern is no regular expression.
void check_symbols(const SubwordSettings& settings);

/// Returns the pieces that a model with these settings never cuts: first the symbols of the settings, then
/// the matches of their patterns in the lines, most frequent first. Throws Error if they take more than half
/// of the entries.
std::vector<std::string> symbols_for(std::span<const std::string* const> lines,
                                     const SubwordSettings& settings);

}  // namespace regard::translation
