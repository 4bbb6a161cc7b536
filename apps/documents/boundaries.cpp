// Boundaries of sentences and lines. This is the only file that includes ICU.
#include "apps/documents/boundaries.h"

#include "autograd/machine/error.h"

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

#include "apps/documents/abbreviations.h"
#include "apps/documents/sentence_ends.h"
#include "apps/translation/files/utf8.h"
#include "autograd/machine/real.h"

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

/// The bytes of a closing quotation mark after a blank (« Oui ! »), with the blanks after it, at the
/// beginning of a text; 0 if there is none.
std::size_t closing_mark(std::string_view text) {
  constexpr std::string_view mark = "»";
  if (!text.starts_with(mark)) return 0;
  std::size_t end = mark.size();
  while (end < text.size()) {
    const translation::CodePoint c = translation::character_at(text, end);
    if (!translation::is_blank(c.value)) break;
    end += c.size;
  }
  return end;
}

/// The number of « less that of ».
Index open_marks(std::string_view text) {
  Index open = 0;
  for (std::size_t at = 0; at + 1 < text.size(); ++at)
    open += text.substr(at, 2) == "«" ? 1 : text.substr(at, 2) == "»" ? -1 : 0;
  return open;
}

}  // namespace

struct Boundaries::Rules {
  std::unique_ptr<UBreakIterator, Close> sentence, line;
  const Abbreviations& abbreviations;
  bool ordinals;
};

Boundaries::Boundaries(const std::string& language) {
  if (!language.empty()) check_known(language);
  const std::string code = language_of(language);
  // ICU's own abbreviations ("ss=standard") contain words such as "OK", and join true sentences.
  rules_.reset(new Rules{.sentence = open(UBRK_SENTENCE, language),
                         .line = open(UBRK_LINE, language),
                         .abbreviations = abbreviations_of(code),
                         .ordinals = has_ordinals_with_full_stop(code)});
}

Boundaries::~Boundaries() = default;

std::vector<std::size_t> Boundaries::sentences(std::string_view text) const {
  std::vector<std::size_t> result;
  std::size_t begin = 0, counted = 0;
  Index open = 0;  // quotation marks
  for (std::size_t end : positions(rules_->sentence.get(), text)) {
    open += open_marks(text.substr(counted, end - counted));
    counted = end;
    if (open > 0) end += closing_mark(text.substr(end));
    if (end <= begin) continue;  // in the blanks after such a mark
    if (end < text.size() &&
        goes_on(text.substr(begin, end - begin), text.substr(end), rules_->abbreviations, rules_->ordinals))
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
