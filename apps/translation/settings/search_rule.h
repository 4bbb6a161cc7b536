#pragma once

#include <memory>
#include <string>

#include "transformer/search/search_options.h"

namespace regard::translation {

class Tokeniser;
class VocabularySelection;
struct Settings;
struct Vocabularies;

/// A rule that a room adds to the search of every translator: what a translation must have of its source, or
/// which tokens it may have at all. It has one of the two functions.
struct SearchRule {
  /// Makes the rules of tokens that the settings ask for; none: an empty function. The other arguments must
  /// outlive it. Throws Error for a model that cannot have them.
  transformer::MakeTokenRule (*make)(const Settings& settings, const Tokeniser& tokeniser,
                                     const Vocabularies& vocabularies) = nullptr;

  // Of a selection of the vocabulary (search/vocabulary_selection.h), for which a model is loaded:
  std::string name = {};   ///< LoadOptions::selection, and the option --NAME
  std::string about = {};  ///< for --help
  std::string file = {};   ///< the file in the directory of the model from which it is read
  std::shared_ptr<const VocabularySelection> (*load)(const std::string& path,
                                                     const Vocabularies& vocabularies) = nullptr;
};

}  // namespace regard::translation
