#include "apps/inspection/line_facts.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>
#include <vector>

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

/// Chinese characters and kana are one script, because Japanese mixes them.
constexpr const char* han_or_kana = "Han or kana";
constexpr std::array script_names{"none",   "Latin",      "Greek",   "Cyrillic",  "Armenian", "Hebrew",
                                  "Arabic", "Devanagari", "Bengali", "Gurmukhi",  "Gujarati", "Oriya",
                                  "Tamil",  "Telugu",     "Kannada", "Malayalam", "Sinhala",  "Thai",
                                  "Lao",    "Tibetan",    "Myanmar", "Georgian",  "Hangul",   "Ethiopic",
                                  "Khmer",  han_or_kana};
constexpr std::size_t latin = 1;

/// The script of each character: RE2 knows them.
std::vector<std::uint8_t> make_scripts() {
  std::u32string letters;
  for (char32_t c = 0; c < 0x40000; ++c)
    if (is_letter(c)) letters += c;
  const std::string text = encode_utf8(letters);
  std::vector<std::uint8_t> scripts(letters.back() + std::size_t{1});
  for (std::size_t script = latin; script < script_names.size(); ++script) {
    const std::string name = script_names[script];
    const Patterns of_script(
        {name == han_or_kana ? R"([\p{Han}\p{Hiragana}\p{Katakana}]+)" : "\\p{" + name + "}+"});
    for (const std::string_view run : of_script.matches(text))
      for (const char32_t c : decode_utf8(run)) scripts[c] = static_cast<std::uint8_t>(script);
  }
  return scripts;
}

std::size_t script_of(char32_t letter) {
  static const std::vector<std::uint8_t> scripts = make_scripts();
  return letter < scripts.size() ? scripts[letter] : 0;
}

/// Calls visit(character, is_letter, in lower case) for each character. Returns false at a byte that is not
/// UTF-8.
template <class Visit>
bool visit_characters(std::string_view line, const Visit& visit) {
  for (std::size_t position = 0; position < line.size();) {
    const auto byte = static_cast<unsigned char>(line[position]);
    if (byte < 0x80) {
      const bool capital = byte >= 'A' && byte <= 'Z';
      visit(char32_t{byte}, capital || (byte >= 'a' && byte <= 'z'), char32_t{byte} + (capital ? 32 : 0));
      ++position;
      continue;
    }
    const auto [character, size] = decode_utf8(line, position);
    if (size == 0) return false;
    const bool letter = is_letter(character);
    visit(character, letter, letter ? lowercase(character) : character);
    position += size;
  }
  return true;
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
  facts.utf8 = visit_characters(line, [&](char32_t c, bool letter, char32_t) {
    const bool was_blank = std::exchange(blank, is_blank(c));
    facts.words += was_blank && !blank;
    facts.characters += !blank;
    facts.tab |= c == '\t';
    facts.control |= is_control(c);
    look_at_last(c);
    if (letter) ++scripts[c < 0x80 ? latin : script_of(c)];
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
  const auto most = std::ranges::max_element(scripts);
  if (std::ranges::count(scripts, *most) == 1)
    facts.script = static_cast<std::uint8_t>(most - scripts.begin());
  return facts;
}

}  // namespace regard::translation
