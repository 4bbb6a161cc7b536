#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace regard::documents {

/// Finds the sentences of a text, and the places where a line may break, by the rules of Unicode (Unicode
/// Standard Annexes 29 and 14) and of a language, as ICU knows them, and by our list of its abbreviations.
class Boundaries {
 public:
  /// `language` is a code such as "de" or "pt-BR". Empty: the rules that hold for all languages. Throws Error
  /// if ICU does not know the language, or if the program was built without ICU.
  explicit Boundaries(const std::string& language = "");
  ~Boundaries();

  /// The positions (in bytes) at which sentences end, in ascending order. White space after a sentence
  /// belongs to it, so the last position is the size of the text. None for an empty text. The text must be
  /// UTF-8.
  ///
  /// ICU is corrected where the sentence goes on (sentence_ends.h), and where a closing » has a blank before
  /// it (« Oui ! »).
  std::vector<std::size_t> sentences(std::string_view text) const;

  /// The positions at which a line may break, in ascending order: after blanks, after hyphens, between
  /// Chinese characters, ... The last one is the size of the text. None for an empty text.
  std::vector<std::size_t> line_breaks(std::string_view text) const;

 private:
  struct Rules;
  std::unique_ptr<Rules> rules_;
};

}  // namespace regard::documents
