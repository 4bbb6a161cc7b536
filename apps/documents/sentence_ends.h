#pragma once

#include <cstddef>
#include <string_view>

#include "apps/documents/abbreviations.h"

namespace regard::documents {

/// True if a sentence goes on at a place that looks like its end by its punctuation. `before` is the sentence
/// up to there, with the blanks after it; `after` is the rest of the text. They must be UTF-8.
///
/// It goes on
/// - after an abbreviation, as Abbreviations describes;
/// - between a closing quotation mark or bracket and a small letter ("Why?" he asked);
/// - within a word (www.a1.B.com/?id=3), except before a capital letter after "!" or "?".
/// Unless a starter follows, it also goes on after
/// - a single letter (J. S. Bach) and a dotted abbreviation of short parts (U.S., Ph.D., z. B.);
/// - an ordinal number of at most two digits or in Roman numerals, if the language has such `ordinals`.
/// A single letter or a short number alone is never a sentence.
bool goes_on(std::string_view before, std::string_view after, const Abbreviations& known, bool ordinals);

}  // namespace regard::documents
