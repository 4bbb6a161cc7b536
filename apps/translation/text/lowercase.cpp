#include "apps/translation/text/lowercase.h"

#include <cstddef>
#include <utf8proc.h>

namespace regard::translation {
namespace {

constexpr char32_t capital_i_with_dot = 0x130, combining_dot_above = 0x307;
constexpr char32_t capital_sigma = 0x3A3, sigma = 0x3C3, final_sigma = 0x3C2;

utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }

bool is_cased(char32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL || kind == UTF8PROC_CATEGORY_LT;
}

/// True for a character that may occur inside a word without being a letter: marks, and punctuation such as
/// an apostrophe (Case_Ignorable; the listed characters have the Word_Break MidLetter, MidNumLet or
/// Single_Quote).
bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      constexpr std::u32string_view within_words =
          U"'.:\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07\uFF0E\uFF1A";
      return within_words.find(c) != within_words.npos;
  }
}

/// True if the sigma at `position` has a letter before it in its word and no letter after it.
bool ends_word(std::u32string_view text, std::size_t position) {
  std::size_t before = position, after = position + 1;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return before > 0 && is_cased(text[before - 1]) && (after == text.size() || !is_cased(text[after]));
}

}  // namespace

std::u32string lowercase(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == capital_i_with_dot) {
      result += {U'i', combining_dot_above};
    } else if (text[i] == capital_sigma) {
      result += ends_word(text, i) ? final_sigma : sigma;
    } else {
      result += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(text[i])));
    }
  }
  return result;
}

}  // namespace regard::translation
