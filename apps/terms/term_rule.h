#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/terms/glossary.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/search/search_options.h"

namespace regard::translation {

/// What translations must have of their sources. The first two are settings of the section `decoding`.
struct TermSettings {
  bool keep_placeholders = false;
  std::vector<std::string> placeholders = {};  ///< patterns beside regard's own (fixed_parts.h)
  std::string glossary = {};                   ///< a file of terms (Glossary); empty: none
  bool search = true;  ///< false: the glossary only writes notes into the sources (notes.h)
};

/// A setting of the section `data`.
struct TermTraining {
  std::string glossary = {};  ///< a file of terms, of which the sources of the corpus have notes; empty: none
};

/// A constraint of a search: a translation has each term of its source.
///
/// A term of the glossary comes at least once if its source is in the sentence. Beam search finds its place
/// (RequiredTerms).
///
/// A placeholder or a piece of markup (fixed_parts.h) is a term with itself that comes exactly as often as in
/// the source, and no other one comes. Numbers may change. It comes where the model writes it.
///
/// What is missing comes in place of </s>, in the order of the source, as the tokeniser cuts it. Texts are
/// compared, so it does not matter how a term is cut into tokens: the translation may have `(%s` as one
/// token. If the greatest length is too small for all terms, some are missing. A sentence without terms has
/// no rule.
///
/// A placeholder that the target vocabulary cannot write is not kept; a warning says so once. The tokeniser
/// and the vocabularies must outlive the result. Throws Error for a wrong pattern, for a wrong glossary, and
/// for a term in it that the target vocabulary cannot write.
transformer::MakeTokenRule keep_terms(const TermSettings& settings, const Tokeniser& tokeniser,
                                      const Vocabularies& vocabularies);

/// The terms of one line of input.
struct LineTerms {
  std::string beginning = {};                     ///< of the translation
  std::vector<std::vector<TermText>> terms = {};  ///< of each, one has to come
  std::string place = {};                         ///< of the line, for messages
};
using MakeLineRule = std::function<std::shared_ptr<const transformer::TokenRule>(const LineTerms& line)>;
/// Makes the rule that a translation begins as a line says, and has its terms; null without both. It throws
/// Error as keep_terms does. The arguments must outlive it and the rules.
MakeLineRule line_rules(const Tokeniser& tokeniser, const Vocabularies& vocabularies);

}  // namespace regard::translation
