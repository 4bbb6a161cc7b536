#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace regard::translation {

/// "▁", U+2581: stands for a blank where a blank is part of a token.
inline constexpr std::string_view visible_blank = "\xE2\x96\x81";

/// Cuts a sentence into tokens and puts tokens together again.
///
/// Every tokeniser sees a sentence as words between blanks, where "blank" is is_blank() of utf8.h: blanks at
/// the ends are dropped and several in a row are one, so join(split(x)) is x with its blanks made single
/// spaces (and marks of subwords removed).
class Tokeniser {
 public:
  virtual ~Tokeniser() = default;

  /// Throws Error if the text is not UTF-8.
  virtual std::vector<std::string> split(std::string_view text) const = 0;
  virtual std::string join(const std::vector<std::string>& tokens) const = 0;

  /// A line of a corpus as its readers see it, without marks of subwords: what translations are compared
  /// with.
  virtual std::string plain(std::string_view text) const { return std::string(text); }
};

/// `word`: the words themselves, for text that a tool such as Moses has tokenised already.
///
/// `subword-nmt`: words that subword-nmt (Sennrich et al. 2016) has cut, "Fahr@@ rad"; join() removes the
/// marks, so translations come out as words. Sentences to translate have to be cut in the same way.
///
/// `char`: UTF-8 code points; the blank between two words is the visible token "▁" (U+2581). Because ▁ stands
/// for a blank, a ▁ in the text is read as one, and comes back as a space.
///
/// (The fourth, `sentencepiece`, needs a model: SubwordTokeniser of subwords.h.)
///
/// Throws Error for any other name, listing the known, and for `sentencepiece`.
std::unique_ptr<Tokeniser> make_tokeniser(std::string_view name);

/// The names of all tokenisers.
std::vector<std::string> tokeniser_names();

}  // namespace regard::translation
