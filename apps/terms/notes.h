#pragma once

#include <string>

#include "apps/terms/glossary.h"
#include "apps/translation/corpus/corpus.h"

// Translations of terms beside them in the source, "a dog ⟦ Hund ⟧ runs", so that a model learns to copy them
// (Dinu et al. 2019, section 3, "append"; they mark the words by factors, we by brackets).

namespace regard::translation {

/// Returns the sentence with the first translation beside each term.
std::string with_notes(const std::string& source, const Glossary& glossary);

/// Writes notes into a corpus: of the pairs in which source and target have terms, every second one has notes
/// of these, with the translation that the target has. So a model also learns to translate without notes.
/// Returns the number of pairs with notes.
Index add_notes(ParallelText& text, const Glossary& glossary);

/// Returns the sentence without its notes.
std::string without_notes(std::string sentence);

}  // namespace regard::translation
