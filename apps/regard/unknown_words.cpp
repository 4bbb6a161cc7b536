#include "apps/regard/unknown_words.h"

#include <cstdio>
#include <fmt/ranges.h>

#include "apps/translation/utf8.h"

namespace regard::program {

namespace {

/// The word as a terminal may show it: control characters, which could do anything to it, as \x1B, and only
/// so much of a word without end.
std::string shown(std::string_view word) {
  constexpr int longest = 40;
  std::string result;
  int characters = 0;
  for (std::size_t position = 0; position < word.size();) {
    if (++characters > longest) return result + "…";
    const translation::CodePoint character = translation::decode_utf8(word, position);
    if (character.value < 0x20 || (character.value >= 0x7F && character.value < 0xA0))
      result += fmt::format("\\x{:02X}", static_cast<unsigned>(character.value));
    else
      result += word.substr(position, character.size);
    position += character.size;
  }
  return result;
}

}  // namespace

void warn_of_unknown_words(std::string_view place, const std::vector<std::string>& words) {
  if (words.empty()) return;
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(shown(word));
  fmt::print(stderr, "regard: {}: not in the vocabulary, read as <unk>: {}\n", place, fmt::join(all, " "));
}

}  // namespace regard::program
