#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/terms/glossary.h"
#include "apps/translation/text/tokeniser.h"
#include "apps/translation/text/vocabulary.h"
#include "transformer/terms/required_terms.h"

namespace regard::translation {

/// How texts are written with the tokens of the target side. Any number of threads may use one object.
class Writing {
 public:
  /// The arguments must outlive the object.
  Writing(const Tokeniser& tokeniser, const Vocabularies& vocabularies);

  std::string text(std::span<const std::int32_t> tokens) const {
    return tokeniser_.join(vocabularies_.target.tokens(tokens));
  }
  /// A source, given by its tokens with </s>. <unk> becomes a question mark.
  std::string source_text(std::span<const std::int32_t> source) const;
  /// A text as it stands in source_text(), such as normalised by SentencePiece; nothing if a token is <unk>.
  std::optional<std::string> as_read(const std::string& text) const;
  /// The tokens of a text after another word.
  std::vector<std::int32_t> after_word(const std::string& text) const;
  /// The tokens of a text with which a translation begins.
  std::vector<std::int32_t> at_beginning(const std::string& text) const;

  /// True if the tokens are those of another form of the text, such as one with marks for capitals.
  bool has_form() const { return &tokeniser_.of_form() != &tokeniser_; }
  /// True if the next word would be another one, because a mark for it is the last token.
  bool is_open(std::span<const std::int32_t> tokens) const;

  /// Throws Error that names the place if the vocabulary cannot write the beginning of a translation, or one
  /// of the ways to translate a term.
  void check(const std::string& beginning, const std::string& place) const;
  void check(const std::vector<TermText>& targets, const std::string& place) const;
  /// The ways to write a term that check() lets pass: as the tokeniser cuts it, and the tokens that are a
  /// whole word of this stem, or at the beginning with a capital letter. With marks for capitals, a term of
  /// any case may have them.
  transformer::RequiredTerm required(const std::vector<TermText>& targets) const;
  /// Where words end, for each token of the vocabulary.
  std::shared_ptr<const transformer::WordEdges> edges() const;

 private:
  using Word = std::pair<std::string, std::int32_t>;

  void look_at_tokens() const;
  /// The tokens that are a term, or have its stem.
  std::span<const Word> words(const TermText& term) const;

  const Tokeniser& tokeniser_;
  const Vocabularies& vocabularies_;
  std::vector<std::string> before_;  ///< the tokens of a word
  // These take a while, so they wait until a sentence has a term.
  mutable std::once_flag looked_;
  mutable std::shared_ptr<const transformer::WordEdges> edges_;
  mutable std::vector<Word> words_;  ///< tokens that are words; small letters
};

}  // namespace regard::translation
