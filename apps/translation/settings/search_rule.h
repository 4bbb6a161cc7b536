#pragma once

#include "transformer/search/search_options.h"

namespace regard::translation {

class Tokeniser;
struct Settings;
struct Vocabularies;

/// A rule that a room adds to the search of every translator, such as what a translation must have of its
/// source.
struct SearchRule {
  /// Makes the rules of tokens that the settings ask for; none: an empty function. The other arguments must
  /// outlive it. Throws Error for a model that cannot have them.
  transformer::MakeTokenRule (*make)(const Settings& settings, const Tokeniser& tokeniser,
                                     const Vocabularies& vocabularies);
};

}  // namespace regard::translation
