#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/documents/boundaries.h"
#include "autograd/machine/real.h"

namespace regard::translation {
struct TranslationModel;
}

namespace regard::documents {

/// The most tokens of a sentence that a model knows, and the function that counts tokens.
struct Limit {
  Index most;
  std::function<Index(const std::string&)> tokens;
};

/// The longest source that a model has seen in training, or that it takes. The model must outlive the result.
Limit limit_of(const translation::TranslationModel& model);

/// The same limit for sentences before which the model reads a word, such as ">>fra<<"; empty: none.
Limit with_first_word(const Limit& limit, const std::string& word);

/// Cuts a text into pieces of at most `limit.most` tokens each, near the middle again and again: after a
/// semicolon, a colon or a dash, otherwise after a comma or a full stop, otherwise after a blank, otherwise
/// where a line may break, otherwise between any two characters. A text that is short enough is one piece.
/// The pieces together are the text. Throws Error if a single character has more tokens.
std::vector<std::string_view> cut(std::string_view text, const Boundaries& boundaries, const Limit& limit);

/// The positions at which the sentences of a text end, as Boundaries::sentences has them, and those between
/// the pieces of sentences that are too long for the limit. Throws Error as cut does.
std::vector<std::size_t> sentence_ends(std::string_view text, const Boundaries& boundaries,
                                       const Limit& limit);

}  // namespace regard::documents
