#include "apps/translation/text/utf8.h"

#include <fmt/format.h>

#include "autograd/error.h"

namespace regard::translation {
namespace {

/// The meaning of the first byte of a character.
struct Lead {
  std::size_t size;   ///< bytes of the whole character; 0: no character begins with this byte
  char32_t bits;      ///< the part of the value that is in this byte
  char32_t smallest;  ///< the smallest value that needs this many bytes
};

Lead read_lead(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xE0) == 0xC0) return {2, byte & 0x1Fu, 0x80};
  if ((byte & 0xF0) == 0xE0) return {3, byte & 0x0Fu, 0x800};
  if ((byte & 0xF8) == 0xF0) return {4, byte & 0x07u, 0x10000};
  return {0, 0, 0};
}

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t position) {
  if (position >= text.size()) return {};
  const Lead lead = read_lead(static_cast<unsigned char>(text[position]));
  if (lead.size == 0 || lead.size > text.size() - position) return {};
  char32_t value = lead.bits;
  for (std::size_t i = 1; i < lead.size; ++i) {
    const auto byte = static_cast<unsigned char>(text[position + i]);
    if ((byte & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte & 0x3Fu);
  }
  const bool overlong = value < lead.smallest;
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {};
  return {value, lead.size};
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
  constexpr char32_t leads[] = {0, 0xC0, 0xE0, 0xF0};
  std::string text;
  for (const char32_t c : characters) {
    const int following = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;  // bytes after the first
    text += static_cast<char>(leads[following] | (c >> (6 * following)));
    for (int left = following - 1; left >= 0; --left)
      text += static_cast<char>(0x80 | ((c >> (6 * left)) & 0x3F));
  }
  return text;
}

bool is_blank(char32_t c) {
  return c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
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

}  // namespace regard::translation
