#pragma once

#include <string_view>

#include "autograd/real.h"

namespace regard::translation {

// A sentence is a sequence of symbols: its characters, or one number per word. An n-gram is a sequence of n
// neighbouring symbols.

/// Returns the number of n-grams in a sentence of `length` symbols. An n-gram that occurs twice counts twice.
Index ngram_count(std::size_t length, std::size_t n);

/// Returns the number of n-grams of a hypothesis that are in its reference. An n-gram counts at most as often
/// as it occurs in the reference, so "the the the" matches "the cat" once (the clipped counts of Papineni et
/// al. 2002, section 2.1).
Index ngram_matches(std::u32string_view hypothesis, std::u32string_view reference, std::size_t n);

}  // namespace regard::translation
