#include "apps/inspection/line_facts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>

#include "apps/inspection/characters.h"
#include "apps/inspection/mojibake.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/text/patterns.h"

namespace regard::translation {

namespace {

/// A hash of characters, one after another. Each step is a bijection of the hash.
std::uint64_t with(std::uint64_t hash, char32_t character) {
  hash = (hash ^ character) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 29);
}

constexpr std::array script_names{"none",   "Latin",      "Greek",   "Cyrillic",  "Armenian", "Hebrew",
                                  "Arabic", "Devanagari", "Bengali", "Gurmukhi",  "Gujarati", "Oriya",
                                  "Tamil",  "Telugu",     "Kannada", "Malayalam", "Sinhala",  "Thai",
                                  "Lao",    "Tibetan",    "Myanmar", "Georgian",  "Hangul",   "Ethiopic",
                                  "Khmer",  "Han",        "kana"};
constexpr std::size_t latin = 1, kana = script_names.size() - 1, han = kana - 1;

/// The script of each character: RE2 knows them.
std::vector<std::uint8_t> make_scripts() {
  std::u32string letters;
  for (char32_t c = 0; c < 0x40000; ++c)
    if (is_letter(c)) letters += c;
  const std::string text = encode_utf8(letters);
  std::vector<std::uint8_t> scripts(letters.back() + std::size_t{1});
  for (std::size_t script = latin; script < script_names.size(); ++script) {
    const Patterns of_script({script == kana ? R"([\p{Hiragana}\p{Katakana}]+)"
                                             : fmt::format("\\p{{{}}}+", script_names[script])});
    for (const std::string_view run : of_script.matches(text))
      for (const char32_t c : decode_utf8(run)) scripts[c] = static_cast<std::uint8_t>(script);
  }
  return scripts;
}

std::size_t script_of(char32_t letter) {
  static const std::vector<std::uint8_t> scripts = make_scripts();
  return letter < scripts.size() ? scripts[letter] : 0;
}

/// The script of most letters; 0 for a draw. Japanese mixes kana with Chinese characters, so a line with both
/// is one in kana. A few Chinese characters alone may be of either language.
std::uint8_t most_frequent(std::vector<std::uint32_t>& letters) {
  constexpr std::uint32_t enough = 8;
  if (letters[kana] > 0) letters[kana] += std::exchange(letters[han], 0);
  const auto most = std::ranges::max_element(letters);
  const auto script = static_cast<std::size_t>(most - letters.begin());
  if (std::ranges::count(letters, *most) > 1 || (script == han && *most < enough)) return 0;
  return static_cast<std::uint8_t>(script);
}

}  // namespace

std::size_t script_count() { return script_names.size(); }

const char* script_name(std::size_t script) { return script_names.at(script); }

LineFacts line_facts(std::string_view line) {
  LineFacts facts;
  thread_local std::vector<std::uint32_t> scripts;
  scripts.assign(script_names.size(), 0);
  bool blank = true;
  char32_t second_last = 0, last = 0;
  const auto look_at_last = [&](char32_t next) {
    facts.invisible |= last >= 0x80 && is_hidden(second_last, last, next);
    second_last = std::exchange(last, next);
  };
  facts.utf8 = visit_all(line, [&](char32_t c) {
    const bool was_blank = std::exchange(blank, is_blank(c));
    facts.words += was_blank && !blank;
    facts.characters += !blank;
    facts.tab |= c == '\t';
    facts.control |= is_control(c);
    look_at_last(c);
    if (c >= 0x80 ? is_letter(c) : (c | 0x20) >= 'a' && (c | 0x20) <= 'z')
      ++scripts[c < 0x80 ? latin : script_of(c)];
  });
  if (!facts.utf8) return {.utf8 = false};
  look_at_last(0);
  const std::u32string read = as_read(line);
  for (const char32_t c : read)
    if ((c >= 'a' && c <= 'z') || (c != ' ' && (is_letter(c) || is_number(c))))
      facts.letters_hash = with(facts.letters_hash, c >= 'a' && c <= 'z' ? c : lowercase(c));
  facts.text_hash = std::hash<std::u32string>()(read);
  facts.mojibake = repair_mojibake(line).has_value();
  scripts[0] = 0;
  facts.script = most_frequent(scripts);
  return facts;
}

}  // namespace regard::translation
