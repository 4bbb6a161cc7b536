#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace regard::translation {

// Rules that put blanks around each future word of a text, or that change it before. A rule reads the text
// from left to right. It does not read a character again after it has changed it or has read it as one of a
// pair.

enum class Blank { around_second, around_first };

/// If one character is a `First` and the next is a `Second`, puts blanks around one of them.
template <class First, class Second>
std::u32string separate(std::u32string_view text, First first, Second second, Blank blank) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      result += text[i];
      continue;
    }
    const char32_t a = text[i], b = text[++i];
    if (blank == Blank::around_second)
      result += {a, U' ', b, U' '};
    else
      result += {U' ', a, U' ', b};
  }
  return result;
}

/// Puts blanks around every character that is a `Kind`.
template <class Kind>
std::u32string separate(std::u32string_view text, Kind kind) {
  std::u32string result;
  for (const char32_t c : text) {
    if (kind(c))
      result += {U' ', c, U' '};
    else
      result += c;
  }
  return result;
}

/// Replaces every `old` from left to right. Does not search again in text that a replacement has formed.
std::u32string replaced(std::u32string_view text, std::u32string_view old, std::u32string_view with);

/// Replaces &quot; &amp; &lt; and &gt; by the characters that they encode.
std::u32string without_entities(std::u32string_view text);

/// True for ASCII's punctuation and symbols except ' , - and .
bool is_ascii_mark(char32_t character);

/// Separates points and commas, except between digits, and dashes behind digits.
std::u32string separate_points(std::u32string_view text);

/// The words between blanks (is_blank in utf8.h).
std::vector<std::string> words_between_blanks(std::u32string_view text);

}  // namespace regard::translation
