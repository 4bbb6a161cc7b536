#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace regard::translation {

/// "▁", U+2581: this character represents a blank inside a token.
inline constexpr std::string_view visible_blank = "\xE2\x96\x81";

/// Cuts a sentence into tokens and puts tokens together again.
///
/// Every tokeniser reads a sentence as words between blanks. is_blank() in utf8.h defines "blank". Blanks at
/// both ends are dropped, and several blanks in a row count as one. So join(split(x)) is x with single spaces
/// between its words and without the marks of subwords.
class Tokeniser {
 public:
  virtual ~Tokeniser() = default;

  /// Throws Error if the text is not UTF-8.
  virtual std::vector<std::string> split(std::string_view text) const = 0;
  /// Cuts a sentence of the target side, where a tokeniser has other tokens for it.
  virtual std::vector<std::string> split_target(std::string_view text) const { return split(text); }
  /// True if a text has the tokens of its words between spaces, one after another, on both sides. Then a
  /// corpus can be cut faster: each word once.
  virtual bool cuts_words_alone() const { return false; }
  virtual std::string join(const std::vector<std::string>& tokens) const = 0;

  /// Returns a line of a corpus as plain text, without the marks of subwords. Translations are compared with
  /// this text.
  virtual std::string plain(std::string_view text) const { return std::string(text); }

  /// What it has learnt, such as "bpe, 8000 entries"; "" if it learns nothing.
  virtual std::string about() const { return ""; }

  /// The tokeniser that does the cutting, where this one gives it the text in another form (text_form.h).
  virtual const Tokeniser& of_form() const { return *this; }
};

/// Makes the tokeniser with this name. These three have no files; rooms may have others
/// (settings/tokeniser_kind.h).
///
/// `word`: each word is a token. Use it for text that a tool such as Moses has tokenised already.
///
/// `subword-nmt`: the words were cut by subword-nmt (Sennrich et al. 2016), for example "Fahr@@ rad". join()
/// removes the marks, so translations consist of whole words. Cut the sentences to translate in the same way.
///
/// `char`: each UTF-8 code point is a token. The blank between two words is the visible token "▁" (U+2581).
/// Because ▁ represents a blank, a ▁ in the text is read as a blank and comes back as a space.
///
/// Throws Error for any other name; the message lists these names.
std::unique_ptr<Tokeniser> make_tokeniser(std::string_view name);

}  // namespace regard::translation
