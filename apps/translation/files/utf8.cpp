#include "apps/translation/files/utf8.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <utf8proc.h>
#include <utility>

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

int decimal_digit(char32_t c) {
  const auto is_digit = [](char32_t other) { return category(other) == UTF8PROC_CATEGORY_ND; };
  if (!is_digit(c)) return -1;
  int smaller = 0;  // the ten digits of a script are in a row, and so are the scripts of some
  while (is_digit(c - 1 - static_cast<char32_t>(smaller))) ++smaller;
  return smaller % 10;
}

CodePoint character_before(std::string_view text, std::size_t position) {
  if (position == 0) return {};
  std::size_t begin = position - 1;
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  return decode_utf8(text, begin);
}

bool is_control(char32_t c) {
  return (c < 0x20 && c != U'\t') || (c >= 0x7F && c < 0xA0) || c == 0xFFFD || (c & 0xFFFE) == 0xFFFE ||
         (c >= 0xFDD0 && c <= 0xFDEF);
}

namespace {

bool is_in_word(char32_t c) {  // a letter, mark or number
  return category(c) >= UTF8PROC_CATEGORY_LU && category(c) <= UTF8PROC_CATEGORY_NO;
}

/// True in scripts whose words may need joiners: from Arabic to Myanmar, others of South and South-East Asia,
/// and Mongolian.
bool needs_joiners(char32_t c) {
  constexpr std::pair<char32_t, char32_t> blocks[] = {{0x600, 0x109F},   {0x1700, 0x18AF}, {0x1900, 0x1C7F},
                                                      {0xA800, 0xAADF},  {0xFB50, 0xFDFF}, {0xFE70, 0xFEFC},
                                                      {0x11000, 0x11FFF}};
  return is_in_word(c) &&
         std::ranges::any_of(blocks, [&](auto block) { return c >= block.first && c <= block.second; });
}

bool is_symbol(char32_t c) {  // an emoji is one
  return (category(c) >= UTF8PROC_CATEGORY_SM && category(c) <= UTF8PROC_CATEGORY_SO) ||
         utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->boundclass ==
             UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

}  // namespace

bool is_hidden(char32_t before, char32_t c, char32_t after) {
  constexpr char32_t zero_width_space = 0x200B, non_joiner = 0x200C, joiner = 0x200D, emoji_form = 0xFE0F;
  const auto is_between = [](char32_t first, char32_t some, char32_t last) {
    return some >= first && some <= last;
  };
  if (!utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->ignorable && !is_between(0xFFF0, c, 0xFFFB) &&
      !is_between(0xE0000, c, 0xE0FFF))
    return false;
  if (c == zero_width_space)
    return std::max(needs_joiners(before) ? before : 0, needs_joiners(after) ? after : 0) < 0xE00;  // Thai
  if (c == joiner && (is_symbol(before) || before == emoji_form)) return !is_symbol(after);
  if (c == joiner && needs_joiners(before)) return false;
  if (c == joiner || c == non_joiner)
    return !(is_in_word(before) && is_in_word(after) && (needs_joiners(before) || needs_joiners(after)));
  if (is_between(0xE0020, c, 0xE007F))  // tags follow a black flag
    return before != 0x1F3F4 && !is_between(0xE0020, before, 0xE007F);
  if (is_between(0xFE00, c, emoji_form) || is_between(0xE0100, c, 0xE01EF) || is_between(0x180B, c, 0x180F))
    return !(is_symbol(before) || is_ideographic(before) || needs_joiners(before) ||
             (c == emoji_form && after == 0x20E3));  // 1️⃣
  return true;
}

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
  char32_t before = 0;
  for (std::size_t position = 0; position < word.size();) {
    if (++characters > longest) return result + "…";
    CodePoint character = decode_utf8(word, position);
    const bool broken = character.size == 0;
    if (broken) character = {static_cast<unsigned char>(word[position]), 1};
    const char32_t c = character.value, after = decode_utf8(word, position + character.size).value;
    if (broken || c < 0x20 || c == 0x7F)
      result += fmt::format("\\x{:02X}", static_cast<unsigned>(c));
    else if ((is_control(c) && c != 0xFFFD) || is_hidden(before, c, after))
      result += fmt::format("<U+{:04X}>", static_cast<unsigned>(c));
    else
      result += word.substr(position, character.size);
    before = broken ? 0 : c;
    position += character.size;
  }
  return result;
}

namespace {

/// A text in NFKC, without control characters.
std::u32string nfkc(std::string_view text) {
  constexpr int options = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_STRIPCC;
  utf8proc_uint8_t* made = nullptr;
  const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                 static_cast<utf8proc_ssize_t>(text.size()), &made,
                                 static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, std::free);
  if (size < 0) throw OutOfMemory("out of memory while reading a text");
  return decode_utf8({reinterpret_cast<const char*>(made), static_cast<std::size_t>(size)});
}

/// True for frequent letters, which are in NFKC whatever their neighbours are if these are frequent, too.
bool is_in_nfkc(char32_t c) {
  return (c >= 0x20 && c < 0x7F) || (c >= 0xC0 && c < 0x130) || (c >= 0x400 && c < 0x480) ||
         (c >= 0x4E00 && c < 0xA000);
}

}  // namespace

std::u32string as_read(std::string_view text) {
  std::u32string characters = decode_utf8(text);
  if (!std::ranges::all_of(characters, is_in_nfkc)) characters = nfkc(text);  // this takes time
  constexpr std::u32string_view further_blanks = U"\u200B\u200C\u200E\u200F\u2581\uFEFF\uFFFD";
  std::u32string read;
  for (const char32_t c : characters)
    if (c != U' ' && (c < 0x80 || (!is_blank(c) && further_blanks.find(c) == further_blanks.npos)))
      read += c;
    else if (!read.empty() && read.back() != U' ')
      read += U' ';
  if (read.ends_with(U' ')) read.pop_back();
  return read;
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

char32_t uppercase(char32_t c) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
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
