#include "apps/documents/sentence_ends.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "apps/translation/files/utf8.h"

namespace regard::documents {

namespace {

using translation::is_blank;
using translation::is_letter;
using translation::is_lowercase_letter;
using translation::is_number;
using translation::lowercase;

using Words = std::vector<std::u32string>;

constexpr std::size_t longest = 100;  // in bytes; what is farther from the place does not matter

bool is_within_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The last characters of a text.
std::u32string end_of(std::string_view text) {
  std::size_t begin = text.size() - std::min(text.size(), longest);
  while (begin < text.size() && is_within_character(text[begin])) ++begin;
  return translation::decode_utf8(text.substr(begin));
}

/// The first characters of a text.
std::u32string begin_of(std::string_view text) {
  std::size_t end = std::min(text.size(), longest);
  while (end < text.size() && is_within_character(text[end])) ++end;
  return translation::decode_utf8(text.substr(0, end));
}

Words words_of(std::u32string_view text) {
  Words words;
  bool in_word = false;
  for (const char32_t c : text) {
    if (!is_blank(c)) {
      if (!in_word) words.emplace_back();
      words.back() += c;
    }
    in_word = !is_blank(c);
  }
  return words;
}

/// True if a word of the list fits.
template <class Fits>
bool any_of(std::u32string_view list, Fits fits) {
  while (!list.empty()) {
    const std::u32string_view entry = list.substr(0, list.find(U' '));
    if (fits(entry)) return true;
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
  }
  return false;
}

bool is_in(std::u32string_view list, std::u32string_view word) {
  return any_of(list, [&](std::u32string_view entry) { return entry == word; });
}

/// True if a list has the word: as it is, or with small letters ("Fig", "DR").
bool is_listed(std::u32string_view list, const std::u32string& word) {
  const std::u32string small = lowercase(word), capital = word.front() + small.substr(1);
  return any_of(list, [&](std::u32string_view entry) {
    return entry == word || entry == small || entry == capital ||
           (entry.front() == U'-' && small.ends_with(entry.substr(1)));
  });
}

/// Numbers up to XXXIX: a longer one could be a word such as CD or DM.
bool is_roman(std::u32string_view word) {
  return word.size() > 1 && word.find_first_not_of(U"IVX") == word.npos;
}

bool is_short_number(std::u32string_view word) {
  return !word.empty() && word.size() <= 2 && word.find_first_not_of(U"0123456789") == word.npos;
}

/// True for a single letter, and for parts of at most two letters with full stops or ".-" between them.
bool is_dotted(std::u32string_view word) {
  std::size_t letters = 0;
  for (const char32_t c : word) {
    letters = is_letter(c) ? letters + 1 : 0;
    if (letters > 2 || !(is_letter(c) || c == U'.' || c == U'-')) return false;
  }
  return letters > 0 && (word.size() == 1 || word.find(U'.') != word.npos);
}

/// The abbreviations that may stand at the end of a text, without their full stop: its last word with the
/// single letters before it ("z.B" for "z. B."), and what follows an apostrophe or hyphen in it ("art" of
/// "l'art."). None after something else, such as the option -x of a program.
Words endings(const Words& words) {
  std::u32string word = words.back();
  word.pop_back();
  word.erase(0, std::min(word.size(), word.find_first_not_of(U"\"'([{“”„‘‚«»‹›¿¡")));
  if (word.empty() || word.front() == U'-' || !(is_letter(word.back()) || is_number(word.back()))) return {};
  const std::u32string part = word.substr(word.find_last_of(U"'’-") + 1);
  for (std::size_t i = words.size() - 1; i > 0; --i) {
    const std::u32string& before = words[i - 1];
    if (before.size() != 2 || !is_letter(before.front()) || before.back() != U'.') break;
    word.insert(0, before);
  }
  return {word, part};
}

/// The first word after a place.
struct Next {
  bool number, starter;
};

Next next_of(std::u32string_view text, const Abbreviations& known) {
  const auto in_word = [](char32_t c) { return is_letter(c) || is_number(c); };
  const auto begin = std::ranges::find_if(text, in_word), end = std::find_if_not(begin, text.end(), in_word);
  const std::u32string word(begin, end);
  if (word.empty()) return {false, false};
  const char32_t after = end == text.end() ? U' ' : *end;
  const bool apostrophe = after == U'\'' || after == U'’';
  const bool starter = is_in(known.starters, word) || (apostrophe && is_in(known.starters, word + U'\''));
  const bool letter = word.size() == 1 && is_letter(word.front());
  return {.number = is_number(word.front()) || is_roman(word) || (letter && !starter),
          .starter = starter && !(letter && after == U'.')};
}

}  // namespace

bool goes_on(std::string_view before, std::string_view after, const Abbreviations& known, bool ordinals) {
  constexpr std::u32string_view closing = U"\"'”’“»«›‹)]";
  const std::u32string text = end_of(before), rest = begin_of(after);
  const Words words = words_of(text);
  if (words.empty() || rest.empty()) return false;
  const char32_t mark = words.back().back();
  const bool small = is_lowercase_letter(rest.front());
  if (closing.find(mark) != closing.npos) return small;
  if (!is_blank(text.back()) && (mark == U'!' || mark == U'?')) return small || !is_letter(rest.front());
  if (mark != U'.') return false;
  if (!is_blank(text.back())) return true;
  const Next next = next_of(rest, known);
  for (const std::u32string& word : endings(words)) {
    if (word.empty()) continue;
    if (is_listed(known.always, word)) return true;
    if (next.number && is_listed(known.before_numbers, word)) return true;
    const bool short_number = is_short_number(word);
    if (words.size() == 1 && before.size() < longest && (word.size() == 1 || short_number)) return true;
    if (is_dotted(word) || is_listed(known.unless_starter, word) ||
        (ordinals && (short_number || is_roman(word))))
      return !next.starter;
  }
  return false;
}

}  // namespace regard::documents
