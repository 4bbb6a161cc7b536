#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apps/markup/markup.h"
#include "apps/translation/corpus/alignments.h"
#include "apps/translation/text/tokeniser.h"

namespace regard::markup {

/// A text, and the places of its tokens.
struct Tokens {
  std::string_view text;
  std::vector<Span> places;
};

/// Finds the places of tokens in their text.
Tokens tokens_in(std::string_view text, const std::vector<std::string>& tokens,
                 const translation::Tokeniser& tokeniser);

/// Finds for the elements of a source their places in its translation, by links between tokens.
///
/// An element goes around the span of target tokens in which most tokens are linked to its content, and
/// fewest to other source tokens: the greatest sum of +1 and -1, over all spans. It is inside its parent's
/// span and beside its neighbours, so that elements never cross, and has whole words unless it cuts one in
/// the source. What has all of its parent's text has it in the translation, too. A single tag, and an element
/// without a linked token, stands before the translation of the token after it, or after that of the token
/// before it.
std::vector<Element> transferred(const std::vector<Element>& elements, const Tokens& source,
                                 const Tokens& target, const translation::Alignment& links);

}  // namespace regard::markup
