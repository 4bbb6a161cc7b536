#pragma once

#include <string>
#include <vector>

#include "apps/translation/settings/settings.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/search/search_options.h"

namespace regard::translation {

/// A constraint of a search: a translation has each placeholder of its source, and each piece of markup
/// (text/fixed_parts.h), exactly as often as the source. Numbers may change.
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

/// The options of the search that these settings describe: settings.decoding, with this constraint if
/// settings.placeholders asks for it. The other arguments must outlive the result. Throws Error if it asks
/// for a model that reads images.
transformer::SearchOptions decoding_of(const Settings& settings, const Tokeniser& tokeniser,
                                       const Vocabularies& vocabularies);

}  // namespace regard::translation
