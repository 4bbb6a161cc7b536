#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace regard::translation {

/// A decoded character and its length in bytes.
struct CodePoint {
  char32_t value = 0;
  std::size_t size = 0;  ///< 0: the bytes are not well-formed UTF-8
};

/// Decodes the character that begins at `position`. It is as strict as the Unicode standard requires (table
/// 3-7): overlong forms, surrogates and values above U+10FFFF are not well-formed.
CodePoint decode_utf8(std::string_view text, std::size_t position);

/// Returns the position of the first byte that belongs to no well-formed character, or nothing if the whole
/// text is UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// Decodes the character that begins at `position`. Throws Error if it is not UTF-8. The message names the
/// byte.
CodePoint character_at(std::string_view text, std::size_t position);

/// Throws Error if the text is not UTF-8. The message names the first wrong byte.
void check_utf8(std::string_view text);

/// Returns the characters of a text. Throws Error if the text is not UTF-8. The message names the byte.
std::u32string decode_utf8(std::string_view text);

/// Returns the UTF-8 form of Unicode characters.
std::string encode_utf8(std::u32string_view characters);

/// True for Unicode's blanks and line breaks. Python's str.split() splits at the same characters.
bool is_blank(char32_t character);

/// True for a character of Unicode's categories L (letters) and N (numbers).
bool is_letter(char32_t character);
bool is_number(char32_t character);
bool is_lowercase_letter(char32_t character);

/// Returns the value of a decimal digit of any script (category Nd), or -1 for another character.
int decimal_digit(char32_t character);

/// Returns the character that ends at `position` of a text that is UTF-8; at its beginning, its size is 0.
CodePoint character_before(std::string_view text, std::size_t position);

/// True for a control character (category Cc) other than the tab, for U+FFFD, which replaces what could not
/// be decoded, and for a noncharacter such as U+FFFE.
bool is_control(char32_t character);

/// True for a character that nobody sees, and that the writing does not need: Unicode's
/// Default_Ignorable_Code_Point (soft hyphen, direction marks, …) and U+FFF9 to U+FFFB. What needs some are
/// emojis, words of Arabic or Indic scripts, and Thai and the like, which have no blanks. `before` and
/// `after` are the neighbours; 0 at the ends of a text.
bool is_hidden(char32_t before, char32_t character, char32_t after);

/// True for Chinese and Japanese characters and their punctuation, which are written without blanks.
bool is_ideographic(char32_t character);

/// Returns the columns that a character or a text takes on a terminal: two for a wide character (most of East
/// Asia's), none for one that is drawn over its neighbour, and one for a tab.
std::size_t display_width(char32_t character);
std::size_t display_width(std::string_view text);

/// Returns a text that is safe to print on a terminal and shows all its characters. ASCII's control
/// characters, which could change the terminal, and bytes that are not UTF-8 become escapes such as \x1B;
/// other control characters and hidden ones become <U+00AD>. At most `longest` characters of the text are
/// used; "…" replaces the rest.
std::string printable(std::string_view text, int longest = 40);

/// Returns a text as a model with the default normalisation of subwords reads it (SentencePiece's nmt_nfkc):
/// in Unicode's form NFKC, without control characters, with one space for blanks in a row, none at the ends.
/// Texts with the same result are the same text. Throws Error if the text is not UTF-8.
std::u32string as_read(std::string_view text);

/// Returns a character in lower case, or as a capital, if that is one character.
char32_t lowercase(char32_t character);
char32_t uppercase(char32_t character);

/// Returns a text in lower case. It uses Unicode's full mapping, like Python's str.lower(): "İ" becomes two
/// characters, and a capital sigma at the end of a word becomes "ς" (The Unicode Standard, section 3.13,
/// Final_Sigma).
std::u32string lowercase(std::u32string_view text);

}  // namespace regard::translation
