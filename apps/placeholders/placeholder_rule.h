#pragma once

#include <string>
#include <vector>

#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/search/search_options.h"

namespace regard::translation {

/// The settings of the room, in the section `decoding`.
struct PlaceholderSettings {
  bool keep = false;
  std::vector<std::string> patterns = {};  ///< beside regard's own (fixed_parts.h)
};

/// A constraint of a search: a translation has each placeholder of its source, and each piece of markup
/// (fixed_parts.h), exactly as often as the source. Numbers may change.
///
/// It compares texts, so it does not matter how a placeholder is cut into tokens: the translation may have
/// `(%s` as one token. A token after which the text has a placeholder too often, or one that the source does
/// not have, does not come. Those that are missing come in place of </s>, in the order of the source, each
/// cut as the tokeniser cuts it. If the greatest length is too small for all of them, some are missing. A
/// sentence without placeholders has no rule.
///
/// A placeholder that the target vocabulary cannot write is not kept; a warning says so once. The arguments
/// must outlive the result. Throws Error for a wrong pattern.
transformer::MakeTokenRule keep_placeholders(const Tokeniser& tokeniser, const Vocabularies& vocabularies,
                                             const std::vector<std::string>& patterns = {});

}  // namespace regard::translation
