#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "transformer/terms/trie.h"

namespace regard::translation {

/// True for a character between blanks and punctuation. Ideographs are words by themselves.
bool in_word(char32_t character);

/// A word or some words of a glossary. "haus*" is a stem: its last word may go on.
struct TermText {
  std::string text;  ///< without the star, single blanks between words
  bool stem = false;
  bool any_case = true;  ///< capital and small letters are the same

  /// Reads "haus" or "haus*". `place` is for the message. Throws Error if there is no word.
  static TermText read(std::string_view written, const std::string& place, bool any_case = true);
  /// Reads the texts between | as read() does.
  static std::vector<TermText> read_all(std::string_view written, const std::string& place,
                                        bool any_case = true);
  /// True if a translation has it as whole words.
  bool is_in(std::string_view translation) const;
};

/// A line of a glossary.
struct Term {
  TermText source;
  std::vector<TermText> targets;  ///< any of them may come
  std::string place;              ///< file and line, for messages
};

/// Terms and their translations.
class Glossary {
 public:
  /// Reads lines of the form "source TAB target|target" or "source TAB target TAB case", where case is `any`
  /// (the default) or `exact`. Empty lines are skipped. Throws Error that names file and line for a line of
  /// another form, and for a second line with the same source.
  /// `as_read` gives the form in which the source terms are looked for.
  using AsRead = std::function<std::string(const TermText& term, const std::string& place)>;
  static Glossary load(const std::string& path, const AsRead& as_read = {});

  const std::vector<Term>& terms() const { return terms_; }

  /// A term in a text.
  struct Match {
    std::size_t term;        ///< its place in terms()
    std::size_t begin, end;  ///< bytes of the text
  };
  /// The terms in a text, from left to right. At each place, the longest one is taken; they do not overlap.
  std::vector<Match> find(std::string_view text) const;

 private:
  void add(Term term);

  std::vector<Term> terms_;
  Trie<char32_t> trie_;                         ///< the sources in small letters
  std::vector<std::vector<std::size_t>> ends_;  ///< for each node, the terms that end in it
};

}  // namespace regard::translation
