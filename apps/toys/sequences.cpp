#include <algorithm>
#include <string>

#include "apps/toys/toy.h"

namespace regard::toys {
namespace {

constexpr std::uint64_t letters = 26;
constexpr std::size_t longest = 12;

std::string join(const std::string& symbols) {
  std::string line;
  for (const char symbol : symbols) {
    if (!line.empty()) line += ' ';
    line += symbol;
  }
  return line;
}

/// Sequences of 1 to 12 letters, copied or reversed. All lengths have the same probability.
Toy sequences(const std::string& name, const std::string& summary, bool reversed) {
  std::uint64_t distinct = 0;  // 26 + 26² + … + 26¹²
  for (std::size_t length = 0; length < longest; ++length) distinct = (distinct + 1) * letters;
  return {.name = name,
          .summary = summary,
          .tokeniser = "word",
          .sizes = {10000, 500, 500},
          .distinct_sources = distinct,
          .sample = [reversed](Random& random) {
            std::string symbols(1 + random.below(longest), ' ');
            for (char& symbol : symbols) symbol = static_cast<char>('a' + random.below(letters));
            std::string target = symbols;
            if (reversed) std::reverse(target.begin(), target.end());
            return SentencePair{join(symbols), join(target)};
          }};
}

}  // namespace

Toy copy_toy() { return sequences("copy", "letters copied: \"c a b\" -> \"c a b\"", false); }

Toy reverse_toy() { return sequences("reverse", "letters turned round: \"c a b\" -> \"b a c\"", true); }

}  // namespace regard::toys
