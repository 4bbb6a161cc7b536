#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/markup/markup.h"
#include "apps/translation/translator/translator.h"

namespace regard::markup {

/// A text with a word before it, which the model reads and which is not translated, such as >>fr<<; empty:
/// none.
Plain with_first_word(Plain plain, const std::string& word);

/// The best translation of each result with the markup of its source, which is the text of this place of
/// `plain`. The links are those of Translator::alignments, which says what it throws.
std::vector<std::string> put_back(translation::Translator& translator, std::span<const Plain> plain,
                                  std::span<const translation::Translator::Result> results);

}  // namespace regard::markup
