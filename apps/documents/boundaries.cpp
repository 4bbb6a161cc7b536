// Boundaries of sentences and lines. This is the only file that includes ICU.
#include "apps/documents/boundaries.h"

#include "autograd/error.h"

#ifndef REGARD_HAS_ICU

namespace regard::documents {

struct Boundaries::Rules {};
Boundaries::Boundaries(const std::string&) {
  fail(
      "cannot find sentences: this program was built without ICU; install libicu-dev and build regard again");
}
Boundaries::~Boundaries() = default;
std::vector<std::size_t> Boundaries::sentences(std::string_view) const { return {}; }
std::vector<std::size_t> Boundaries::line_breaks(std::string_view) const { return {}; }

}  // namespace regard::documents

#else

#include <algorithm>
#include <array>
#include <cctype>
#include <unicode/ubrk.h>
#include <unicode/uloc.h>
#include <unicode/utext.h>

#include "apps/translation/text/utf8.h"

namespace regard::documents {

namespace {

using translation::printable;

/// Throws Error if a function of ICU failed. Its warnings (below zero) are not errors.
void check(UErrorCode status) {
  if (U_FAILURE(status)) fail("cannot find sentences: ICU reports {}", u_errorName(status));
}

/// The language of a locale: "de" for "deu" and for "de-AT".
std::string language_of(const std::string& locale) {
  UErrorCode status = U_ZERO_ERROR;
  std::array<char, ULOC_LANG_CAPACITY> language{};
  uloc_getLanguage(locale.c_str(), language.data(), ULOC_LANG_CAPACITY, &status);
  return U_FAILURE(status) ? "" : language.data();
}

void check_known(const std::string& locale) {
  const auto is_of_code = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
  if (std::ranges::all_of(locale, is_of_code))
    for (int i = 0; i < uloc_countAvailable(); ++i)
      if (language_of(locale) == language_of(uloc_getAvailable(i))) return;
  fail(
      "--language {}: ICU does not know this language; give a code such as de, fr or pt-BR, or leave the "
      "option out for the rules of all languages",
      printable(locale));
}

struct Close {
  void operator()(UBreakIterator* rules) const { ubrk_close(rules); }
  void operator()(UText* text) const { utext_close(text); }
};

std::unique_ptr<UBreakIterator, Close> open(UBreakIteratorType type, const std::string& locale) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<UBreakIterator, Close> rules(ubrk_open(type, locale.c_str(), nullptr, 0, &status));
  check(status);
  return rules;
}

std::vector<std::size_t> positions(UBreakIterator* rules, std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, Close> utf8(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  check(status);
  ubrk_setUText(rules, utf8.get(), &status);
  check(status);
  std::vector<std::size_t> found;
  for (int at = ubrk_next(rules); at != UBRK_DONE; at = ubrk_next(rules))
    found.push_back(static_cast<std::size_t>(at));
  return found;
}

/// True if the sentence ends in a word that cannot be its last one: a letter and a full stop, or a number of
/// at most two digits and a full stop, either alone or in a language with such `ordinals`.
bool goes_on(std::string_view sentence, bool ordinals) {
  std::u32string word;
  Index words = 0;
  bool in_word = false;
  for (std::size_t at = 0; at < sentence.size();) {
    const translation::CodePoint c = translation::character_at(sentence, at);
    const bool blank = translation::is_blank(c.value);
    if (!blank && !in_word) {
      word.clear();
      ++words;
    }
    if (!blank) word += c.value;
    in_word = !blank;
    at += c.size;
  }
  if (word.size() < 2 || word.size() > 3 || word.back() != U'.') return false;
  word.pop_back();
  if (std::ranges::all_of(word, [](char32_t c) { return c >= U'0' && c <= U'9'; }))
    return ordinals || words == 1;
  return word.size() == 1 && translation::is_letter(word.front());
}

}  // namespace

struct Boundaries::Rules {
  std::unique_ptr<UBreakIterator, Close> sentence, line;
  bool ordinals_with_full_stop;
};

Boundaries::Boundaries(const std::string& language) {
  constexpr std::array with_full_stop{"bs", "cs", "da", "de", "et", "fi", "hr", "hu", "is",
                                      "lv", "nb", "nn", "no", "pl", "sk", "sl", "sr", "tr"};
  if (!language.empty()) check_known(language);
  // "ss=standard": no sentence ends after the abbreviations of the language (Unicode Technical Standard 35).
  rules_.reset(
      new Rules{.sentence = open(UBRK_SENTENCE, language + "@ss=standard"),
                .line = open(UBRK_LINE, language),
                .ordinals_with_full_stop = std::ranges::count(with_full_stop, language_of(language)) > 0});
}

Boundaries::~Boundaries() = default;

std::vector<std::size_t> Boundaries::sentences(std::string_view text) const {
  std::vector<std::size_t> ends = positions(rules_->sentence.get(), text), result;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    if (end < text.size() && goes_on(text.substr(begin, end - begin), rules_->ordinals_with_full_stop))
      continue;
    result.push_back(end);
    begin = end;
  }
  return result;
}

std::vector<std::size_t> Boundaries::line_breaks(std::string_view text) const {
  return positions(rules_->line.get(), text);
}

}  // namespace regard::documents

#endif
