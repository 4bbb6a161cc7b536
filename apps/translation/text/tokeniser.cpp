#include "apps/translation/text/tokeniser.h"

#include <cstddef>
#include <fmt/ranges.h>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::translation {
namespace {

/// Returns the parts of a text between separators. No part is empty.
template <class IsSeparator>
std::vector<std::string_view> words_between(std::string_view text, IsSeparator is_separator) {
  std::vector<std::string_view> words;
  std::size_t begin = 0, position = 0;
  const auto finish_word = [&] {
    if (position > begin) words.push_back(text.substr(begin, position - begin));
  };
  while (position < text.size()) {
    const CodePoint character = character_at(text, position);
    if (is_separator(character.value)) {
      finish_word();
      begin = position + character.size;
    }
    position += character.size;
  }
  finish_word();
  return words;
}

class WordTokeniser : public Tokeniser {
 public:
  std::vector<std::string> split(std::string_view text) const override {
    const std::vector<std::string_view> words = words_between(text, is_blank);
    return {words.begin(), words.end()};
  }

  std::string join(const std::vector<std::string>& tokens) const override {
    return fmt::format("{}", fmt::join(tokens, " "));
  }
};

/// Words are cut into pieces such as "Fahr@@ rad". A piece ends in "@@" if its word continues in the next
/// one.
class SubwordNmtTokeniser : public WordTokeniser {
 public:
  std::string join(const std::vector<std::string>& tokens) const override {
    constexpr std::string_view mark = "@@";
    std::string text;
    bool inside_word = true;  // no space before the first token
    for (const std::string& token : tokens) {
      if (!inside_word) text += ' ';
      inside_word = token.ends_with(mark);
      text += std::string_view(token).substr(0, token.size() - (inside_word ? mark.size() : 0));
    }
    return text;
  }

  std::string plain(std::string_view text) const override { return join(split(text)); }
};

class CharTokeniser : public Tokeniser {
 public:
  std::vector<std::string> split(std::string_view text) const override {
    std::vector<std::string> tokens;
    const auto separates = [](char32_t c) { return is_blank(c) || c == U'\u2581'; };
    for (const std::string_view word : words_between(text, separates)) {
      if (!tokens.empty()) tokens.emplace_back(visible_blank);
      for (std::size_t position = 0; position < word.size(); position += tokens.back().size())
        tokens.emplace_back(word.substr(position, character_at(word, position).size));
    }
    return tokens;
  }

  std::string join(const std::vector<std::string>& tokens) const override {
    std::string text;
    for (const std::string& token : tokens) text += token == visible_blank ? " " : token;
    return text;
  }
};

}  // namespace

std::unique_ptr<Tokeniser> make_tokeniser(std::string_view name) {
  if (name == "word") return std::make_unique<WordTokeniser>();
  if (name == "subword-nmt") return std::make_unique<SubwordNmtTokeniser>();
  if (name == "char") return std::make_unique<CharTokeniser>();
  fail("there is no tokeniser \"{}\" without files; these are word, subword-nmt, char", name);
}

}  // namespace regard::translation
