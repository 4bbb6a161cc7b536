#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/translation/search/vocabulary_selection.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/settings/source_door.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/search/search_options.h"

namespace regard::translation {

/// The options of the search that these settings describe: settings.decoding, with the rules of the rooms
/// (settings/search_rule.h) that they ask for. The other arguments must outlive the result. Throws Error if a
/// rule is not for this model.
transformer::SearchOptions decoding_of(const Settings& settings, const Tokeniser& tokeniser,
                                       const Vocabularies& vocabularies);

/// How these settings have the sentences to translate rewritten (settings/source_door.h); empty: not at all.
RewriteSource rewriting_of(const Settings& settings);

/// All these rules together. A token comes if all of them allow it. What they still need comes in their
/// order; each is asked with what comes before.
transformer::MakeTokenRule together(std::vector<transformer::MakeTokenRule> rules);

/// Reads the selection of this name (SearchRule) from a model directory. Throws Error if no room has it, and
/// as the room does.
std::shared_ptr<const VocabularySelection> load_selection(const std::string& name,
                                                          const std::string& directory,
                                                          const Vocabularies& vocabularies);

}  // namespace regard::translation
