#include <array>
#include <string>
#include <vector>

#include "apps/toys/toy.h"

namespace regard::toys {
namespace {

constexpr std::size_t kinds = 4;
constexpr std::array<const char*, kinds> opening = {"(", "[", "{", "<"}, closing = {")", "]", "}", ">"};
constexpr std::size_t greatest_depth = 8;
/// An odd number of open brackets needs an odd number of brackets. Apart from that, the lengths of all depths
/// are the same: 8, 10, …, 22 or 9, 11, …, 23.
constexpr std::size_t least_length = 8, lengths_per_depth = 8,
                      greatest_length = least_length + 2 * (lengths_per_depth - 1) + 1;

/// ways[n][open]: the number of texts of n brackets of one kind that leave `open` of them open.
using Ways = std::array<std::array<std::uint64_t, greatest_length + 2>, greatest_length + 1>;

Ways count_ways() {
  Ways ways{};
  ways[0][0] = 1;
  for (std::size_t n = 1; n <= greatest_length; ++n)
    for (std::size_t open = 0; open <= n; ++open)
      ways[n][open] = (open > 0 ? ways[n - 1][open - 1] : 0) + ways[n - 1][open + 1];
  return ways;
}

/// A text of `length` brackets that leaves `depth` open: true for an opening bracket. All such texts are
/// equally likely. It is drawn from its end: of the ways to come to n brackets with `open` of them open,
/// those with one fewer open before the last bracket end with an opening one.
std::vector<bool> random_shape(const Ways& ways, std::size_t length, std::size_t depth, SplitMix64& random) {
  std::vector<bool> opens(length);
  for (std::size_t n = length, open = depth; n > 0; --n) {
    opens[n - 1] = open > 0 && random.below(ways[n][open]) < ways[n - 1][open - 1];
    open = opens[n - 1] ? open - 1 : open + 1;
  }
  return opens;
}

void add(std::string& line, const std::string& word) { line += (line.empty() ? "" : " ") + word; }

SentencePair random_brackets(const Ways& ways, SplitMix64& random) {
  const std::size_t depth = 1 + random.below(greatest_depth);
  const std::size_t length = least_length + depth % 2 + 2 * random.below(lengths_per_depth);
  SentencePair pair;
  std::vector<std::size_t> open;  // the kinds of the open brackets, the innermost last
  for (const bool opens : random_shape(ways, length, depth, random)) {
    if (opens) {
      open.push_back(random.below(kinds));
      add(pair.source, opening[open.back()]);
    } else {
      add(pair.source, closing[open.back()]);
      open.pop_back();
    }
  }
  for (; !open.empty(); open.pop_back()) add(pair.target, closing[open.back()]);
  return pair;
}

}  // namespace

Toy brackets_toy() {
  static const Ways ways = count_ways();
  return {.name = "brackets",
          .summary = "brackets that are open, closed from the innermost: \"( [ ] { <\" -> \"> } )\"",
          .tokeniser = "word",
          .sizes = {20000, 500, 500},
          .distinct_sources = countless,
          .sample = [](SplitMix64& random) { return random_brackets(ways, random); }};
}

}  // namespace regard::toys
