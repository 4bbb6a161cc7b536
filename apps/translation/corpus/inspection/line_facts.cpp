#include "apps/translation/corpus/inspection/line_facts.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/translation/corpus/inspection/scripts.h"
#include "apps/translation/files/utf8.h"

namespace regard::translation {

namespace {

/// A hash of characters, one after another. Each step is a bijection of the hash.
std::uint64_t with(std::uint64_t hash, char32_t character) {
  hash = (hash ^ character) * 0x9E3779B97F4A7C15;
  return hash ^ (hash >> 29);
}
constexpr std::uint64_t nothing = 0;

bool is_control(char32_t c) {
  return (c < 0x20 && c != '\t') || (c >= 0x7F && c < 0xA0) || c == 0xFEFF || c == 0xFFFD || c >= 0xFFFE;
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

/// The words of a line, as hashes.
template <class Visit>
void visit_words(std::string_view line, const Visit& visit) {
  std::uint64_t word = nothing;
  const auto end = [&] {
    if (word != nothing) visit(std::exchange(word, nothing));
  };
  visit_characters(line, [&](char32_t, bool letter, char32_t lower) {
    if (letter)
      word = with(word, lower);
    else
      end();
  });
  end();
}

std::string_view without_outer_blanks(std::string_view line) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = std::min(line.find_first_not_of(blanks), line.size());
  line.remove_prefix(begin);
  return line.substr(0, line.find_last_not_of(blanks) + 1);
}

}  // namespace

CommonWords::CommonWords(std::span<const std::string_view> lines) {
  constexpr std::size_t most_lines = 20'000, most_words = 500;
  std::unordered_map<std::uint64_t, std::size_t> counts;
  std::size_t total = 0;
  const std::size_t stride = lines.size() / most_lines + 1;
  for (std::size_t i = 0; i < lines.size(); i += stride)
    visit_words(lines[i], [&](std::uint64_t word) {
      ++counts[word];
      ++total;
    });
  std::vector<std::pair<std::size_t, std::uint64_t>> ranked;
  for (const auto& [word, count] : counts)
    if (count > 1) ranked.emplace_back(count, word);
  std::ranges::sort(ranked, std::greater());
  ranked.resize(std::min(ranked.size(), most_words));
  std::size_t covered = 0;
  for (const auto& [count, word] : ranked) {
    words_.insert(word);
    covered += count;
  }
  usable_ = 2 * covered >= total;
}

LineFacts line_facts(std::string_view line, const CommonWords& common) {
  LineFacts facts;
  thread_local std::vector<std::uint32_t> scripts;
  scripts.assign(script_count(), 0);
  std::uint64_t word = nothing;
  std::uint32_t words = 0, known = 0;
  const auto end_word = [&] {
    if (word == nothing) return;
    ++words;
    known += common.has(std::exchange(word, nothing));
  };
  bool blank = true;
  facts.utf8 = visit_characters(line, [&](char32_t c, bool letter, char32_t lower) {
    const bool was_blank = std::exchange(blank, is_blank(c));
    facts.words += was_blank && !blank;
    facts.characters += !blank;
    facts.tab |= c == '\t';
    facts.control |= is_control(c);
    if (letter) {
      word = with(word, lower);
      ++scripts[c < 0x80 ? latin_script : script_of(c)];
    } else {
      end_word();
    }
    if (letter || (c >= '0' && c <= '9') || (c >= 0x80 && is_number(c)))
      facts.letters = with(facts.letters, lower);
  });
  if (!facts.utf8) return {.utf8 = false};
  end_word();
  facts.strange = common.usable() && words >= 8 && 10 * known <= words;
  facts.text = std::hash<std::string_view>()(without_outer_blanks(line));
  scripts[0] = 0;
  const auto most = std::ranges::max_element(scripts);
  if (std::ranges::count(scripts, *most) == 1)
    facts.script = static_cast<std::uint8_t>(most - scripts.begin());
  return facts;
}

}  // namespace regard::translation
