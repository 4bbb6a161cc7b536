#pragma once

#include <string_view>

#include "autograd/index.h"

namespace regard::translation {

// A sentence as symbols: its characters, or numbers that stand for its words. An n-gram is n neighbours.

/// How many n-grams a sentence of `length` symbols has, those that occur twice counted twice.
Index ngram_count(std::size_t length, std::size_t n);

/// How many n-grams of a hypothesis its reference has, too. Each counts as often as it is found there, so
/// "the the the" matches "the cat" once (the clipped counts of Papineni et al. 2002, section 2.1).
Index ngram_matches(std::u32string_view hypothesis, std::u32string_view reference, std::size_t n);

}  // namespace regard::translation
