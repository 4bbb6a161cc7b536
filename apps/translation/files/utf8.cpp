#include "apps/translation/files/utf8.h"

#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <utf8proc.h>

#include "autograd/machine/error.h"

namespace regard::translation {

CodePoint decode_utf8(std::string_view text, std::size_t position) {
  if (position >= text.size()) return {};
  utf8proc_int32_t value = 0;
  const auto size = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + position,
                                     static_cast<utf8proc_ssize_t>(text.size() - position), &value);
  if (size <= 0) return {};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(size)};
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint character = decode_utf8(text, position);
    if (character.size == 0) return position;
    position += character.size;
  }
  return std::nullopt;
}

CodePoint character_at(std::string_view text, std::size_t position) {
  const CodePoint character = decode_utf8(text, position);
  if (character.size == 0) fail("the text is not UTF-8 at byte {}", position + 1);
  return character;
}

void check_utf8(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) position += character_at(text, position).size;
}

std::u32string decode_utf8(std::string_view text) {
  std::u32string characters;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint character = character_at(text, position);
    characters += character.value;
    position += character.size;
  }
  return characters;
}

std::string encode_utf8(std::u32string_view characters) {
  std::string text;
  for (const char32_t c : characters) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes.data());
    text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(size));
  }
  return text;
}

bool is_blank(char32_t c) {
  return c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

namespace {
utf8proc_category_t category(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }
}  // namespace

bool is_letter(char32_t c) {
  return category(c) >= UTF8PROC_CATEGORY_LU && category(c) <= UTF8PROC_CATEGORY_LO;
}

bool is_number(char32_t c) {
  return category(c) >= UTF8PROC_CATEGORY_ND && category(c) <= UTF8PROC_CATEGORY_NO;
}

bool is_lowercase_letter(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL; }

bool is_ideographic(char32_t c) {
  return (c >= 0x2E80 && c <= 0x31FF) || (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFE30 && c <= 0xFE4F) || (c >= 0xFF00 && c <= 0xFF9F) || (c >= 0x20000 && c <= 0x3FFFF);
}

std::size_t display_width(char32_t c) {
  return c == U'\t' ? 1 : static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(c)));
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char32_t c : decode_utf8(text)) width += display_width(c);
  return width;
}

std::string printable(std::string_view word, int longest) {
  std::string result;
  int characters = 0;
  for (std::size_t position = 0; position < word.size();) {
    if (++characters > longest) return result + "…";
    CodePoint character = decode_utf8(word, position);
    const bool broken = character.size == 0;
    if (broken) character = {static_cast<unsigned char>(word[position]), 1};
    if (broken || character.value < 0x20 || (character.value >= 0x7F && character.value < 0xA0))
      result += fmt::format("\\x{:02X}", static_cast<unsigned>(character.value));
    else
      result += word.substr(position, character.size);
    position += character.size;
  }
  return result;
}

namespace {

constexpr char32_t capital_i_with_dot = 0x130, combining_dot_above = 0x307;
constexpr char32_t capital_sigma = 0x3A3, sigma = 0x3C3, final_sigma = 0x3C2;

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

char32_t lowercase(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

std::u32string lowercase(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == capital_i_with_dot) {
      result += {U'i', combining_dot_above};
    } else if (text[i] == capital_sigma) {
      result += ends_word(text, i) ? final_sigma : sigma;
    } else {
      result += lowercase(text[i]);
    }
  }
  return result;
}

}  // namespace regard::translation
