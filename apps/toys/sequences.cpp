#include <algorithm>
#include <limits>
#include <string>

#include "apps/toys/toy.h"
#include "autograd/machine/error.h"

namespace regard::toys {
namespace {

const char* const small_letters = "abcdefghijklmnopqrstuvwxyz";
/// Of recall: one guess in 52 is right. With 26 letters there would be too few sources of two letters for all
/// distances to come equally often.
const char* const all_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

std::string with_blanks(const std::string& letters) {
  std::string line;
  for (const char letter : letters) {
    if (!line.empty()) line += ' ';
    line += letter;
  }
  return line;
}

std::string copied(std::string source) { return source; }
std::string reversed(std::string source) { return {source.rbegin(), source.rend()}; }
std::string sorted(std::string source) {
  std::sort(source.begin(), source.end());
  return source;
}
std::string first_of(std::string source) { return source.substr(0, 1); }

/// The number of sequences: letters^shortest + … + letters^longest, or the greatest number if that is more.
std::uint64_t count_sequences(std::uint64_t letters, std::int64_t shortest, std::int64_t longest) {
  constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t sum = 0;
  for (std::int64_t length = longest; length > 0; --length) {
    if (sum >= greatest / letters) return greatest;
    sum = (sum + (length >= shortest ? 1 : 0)) * letters;
  }
  return sum;
}

/// Random letters. All lengths have the same probability.
Toy sequences(const std::string& name, const std::string& summary, const std::string& letters,
              std::int64_t shortest, std::int64_t longest, std::string (*translate)(std::string)) {
  return {.name = name,
          .summary = summary,
          .tokeniser = "word",
          .sizes = {10000, 500, 500},
          .distinct_sources = count_sequences(letters.size(), shortest, longest),
          .sample = [=](SplitMix64& random) {
            const auto lengths = static_cast<std::uint64_t>(longest - shortest + 1);
            std::string source(static_cast<std::size_t>(shortest) + random.below(lengths), ' ');
            for (char& letter : source) letter = letters[random.below(letters.size())];
            return SentencePair{with_blanks(source), with_blanks(translate(source))};
          }};
}

}  // namespace

Toy sequence_toy(SequenceKind kind, std::int64_t shortest, std::optional<std::int64_t> longest_or_default) {
  const std::int64_t longest = longest_or_default.value_or(kind == SequenceKind::recall ? 20 : 12);
  if (shortest < 1 || longest < shortest || longest > 1000)
    fail("--min-words {} --max-words {}: give numbers from 1 to 1000, the first not above the second",
         shortest, longest);
  switch (kind) {
    case SequenceKind::copy:
      return sequences("copy", "letters copied: \"c a b\" -> \"c a b\"", small_letters, shortest, longest,
                       copied);
    case SequenceKind::reverse:
      return sequences("reverse", "letters turned round: \"c a b\" -> \"b a c\"", small_letters, shortest,
                       longest, reversed);
    case SequenceKind::sort:
      return sequences("sort", "letters in the order of the alphabet: \"c a b\" -> \"a b c\"", small_letters,
                       shortest, longest, sorted);
    case SequenceKind::recall:
      return sequences("recall", "the first of several letters: \"c A b\" -> \"c\"", all_letters,
                       shortest + 1, longest + 1, first_of);
  }
  fail("there is no sequence of kind {}", static_cast<int>(kind));
}

}  // namespace regard::toys
