#include "apps/inspection/mojibake.h"

#include <algorithm>
#include <array>

#include "apps/translation/files/utf8.h"

namespace regard::translation {

namespace {

/// Windows-1252 has these characters for the bytes 0x80 to 0x9F; 0 where it has none. Latin-1 has U+0080 to
/// U+009F. The other bytes are the same characters in both.
constexpr std::array<char32_t, 32> windows_1252{
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/// The byte that was read as this character; 0 for none above 0x7F.
unsigned char byte_of(char32_t character) {
  if (character >= 0x80 && character <= 0xFF) return static_cast<unsigned char>(character);
  const auto place = std::ranges::find(windows_1252, character);
  return character < 0x80 || place == windows_1252.end()
             ? static_cast<unsigned char>(0)
             : static_cast<unsigned char>(0x80 + (place - windows_1252.begin()));
}

/// Characters of a text whose bytes are one character of UTF-8.
struct Group {
  char32_t value = 0;
  std::size_t size = 0;  ///< 0: there is none here
};

Group group_at(std::u32string_view text, std::size_t position) {
  if (position >= text.size()) return {};
  std::string bytes;
  for (const char32_t c : text.substr(position, 4))
    if (const unsigned char byte = byte_of(c))
      bytes += static_cast<char>(byte);
    else
      break;
  if (bytes.empty()) return {};
  const CodePoint found = decode_utf8(bytes, 0);
  return {found.value, found.size};
}

/// True for what may follow the last letter of a word.
bool ends_word(char32_t c) {
  return std::u32string_view(
             U"\u00A0\u00A9\u00AA\u00AB\u00AE\u00B0\u00B2\u00B3\u00B9\u00BA\u00BB\u2013\u2014\u2018\u2019"
             U"\u201C\u201D\u2026\u2039\u203A\u2122")
             .find(c) != std::u32string_view::npos;
}

/// True if a group is damage although no other group is beside it.
bool stands_alone(std::u32string_view text, std::size_t position, const Group& group) {
  const char32_t c = group.value;
  if (group.size == 4) return c >= 0x1F000;               // emojis
  if (group.size == 3) return c >= 0x2000 && c < 0x2C00;  // quotation marks, dashes, currencies, arrows
  if (c < 0xC0) return c >= 0xA0;                         // symbols such as « and °
  if (c >= 0x260) return false;                           // no usual letter of Latin
  const char32_t second = text[position + 1];
  if (!ends_word(second)) return true;
  const char32_t before = position > 0 ? text[position - 1] : U' ',
                 after = position + 2 < text.size() ? text[position + 2] : U' ';
  if (is_letter(before)) return is_lowercase_letter(before);  // else "MANHÃ»"
  return is_letter(after) || c == U'à';                       // else "«Å»"
}

bool is_damaged(std::u32string_view text) {
  for (std::size_t position = 0; position < text.size(); ++position)
    if (const Group group = group_at(text, position);
        group.size > 0 &&
        (stands_alone(text, position, group) || group_at(text, position + group.size).size > 0))
      return true;
  return false;
}

/// Replaces all groups, because damage is rarely in a part of a line.
std::u32string undo_once(std::u32string_view text) {
  std::u32string result;
  for (std::size_t position = 0; position < text.size();) {
    const Group group = group_at(text, position);
    result += group.size > 0 ? group.value : text[position];
    position += std::max<std::size_t>(group.size, 1);
  }
  return result;
}

/// Damage has one of U+00C2 to U+00F4, the first byte of a character, before another character that is not
/// ASCII.
bool may_be_damaged(std::string_view line) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(line[i]); };
  for (std::size_t i = 0; i + 2 < line.size(); ++i)
    if (byte(i) == 0xC3 && byte(i + 1) >= 0x82 && byte(i + 1) <= 0xB4 && byte(i + 2) >= 0x80) return true;
  return false;
}

}  // namespace

std::optional<std::string> repair_mojibake(std::string_view line) {
  if (!may_be_damaged(line) || find_invalid_utf8(line)) return std::nullopt;
  std::u32string text = decode_utf8(line);
  if (!is_damaged(text)) return std::nullopt;
  while (is_damaged(text)) text = undo_once(text);
  return encode_utf8(text);
}

}  // namespace regard::translation
