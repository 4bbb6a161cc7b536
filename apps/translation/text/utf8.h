#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace regard::translation {

/// A decoded character and the bytes it takes.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;  ///< 0: the bytes are not well-formed UTF-8
};

/// The character that begins at `position`. Strict, as the Unicode standard asks (table 3-7): overlong forms,
/// surrogates and values above U+10FFFF are not well-formed.
CodePoint decode_utf8(std::string_view text, std::size_t position);

/// Position of the first byte that belongs to no well-formed character; nothing if the whole text is UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// The character that begins at `position`. Throws Error naming the byte if it is not UTF-8.
CodePoint character_at(std::string_view text, std::size_t position);

/// Throws Error naming the first byte that is not UTF-8, if there is one.
void check_utf8(std::string_view text);

/// The characters of a text. Throws Error naming the byte where it is not UTF-8.
std::u32string decode_utf8(std::string_view text);

/// The UTF-8 of characters that are Unicode.
std::string encode_utf8(std::u32string_view characters);

/// Unicode's blanks and line breaks: the characters at which Python's str.split() splits.
bool is_blank(char32_t character);

/// A word as a terminal may show it: control characters, which could do anything to it, and bytes that are
/// not UTF-8 as \x1B, and of a word without end only so many characters.
std::string shown(std::string_view word, int longest = 40);

}  // namespace regard::translation
