// The toys of letters and of brackets: their rules, and that no length gives the answer away.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "apps/toys/toys.h"
#include "tests/apps/support.h"
#include "tests/catch.h"

namespace {

using namespace regard::toys;

/// Without the blanks: every word of these toys is one character.
std::string characters_of(const std::string& line) {
  std::string text = line;
  std::erase(text, ' ');
  return text;
}

/// Removes pairs of brackets that stand side by side until there are none.
std::string without_closed(std::string text) {
  for (std::size_t before = text.size() + 1; text.size() < before;) {
    before = text.size();
    for (const char* const pair : {"()", "[]", "{}", "<>"})
      for (std::size_t at = text.find(pair); at != std::string::npos; at = text.find(pair)) text.erase(at, 2);
  }
  return text;
}

}  // namespace

TEST_CASE("copy, reverse, sort and recall have the lengths that were asked for, all equally often",
          "[toys]") {
  for (const SequenceKind kind :
       {SequenceKind::copy, SequenceKind::reverse, SequenceKind::sort, SequenceKind::recall}) {
    std::map<std::size_t, int> lengths;
    for (const SentencePair& pair : generate(sequence_toy(kind, 5, 8), 3, {4000, 10, 10}).train) {
      const std::string source = characters_of(pair.source), target = characters_of(pair.target);
      const bool recall = kind == SequenceKind::recall;
      ++lengths[source.size() - (recall ? 1 : 0)];
      if (kind == SequenceKind::sort) {
        CHECK(std::is_sorted(target.begin(), target.end()));
        CHECK(std::is_permutation(target.begin(), target.end(), source.begin(), source.end()));
        continue;
      }
      CHECK(target == (kind == SequenceKind::copy ? source
                       : recall                   ? source.substr(0, 1)
                                                  : std::string(source.rbegin(), source.rend())));
    }
    REQUIRE(lengths.size() == 4);
    CHECK(lengths.begin()->first == 5);
    for (const auto& [length, count] : lengths) CHECK(std::abs(count - 1000) < 120);
  }
  CHECK(sequence_toy(SequenceKind::copy, 2, 3).distinct_sources == 26u * 26 + 26 * 26 * 26);
  CHECK(sequence_toy(SequenceKind::recall, 1, 1).distinct_sources == 52u * 52);
  CHECK(sequence_toy(SequenceKind::copy, 1, 1000).distinct_sources ==
        std::numeric_limits<std::uint64_t>::max());
  // All 26 sources are found.
  CHECK(generate(sequence_toy(SequenceKind::copy, 1, 1), 1, {20, 3, 3}).train.size() == 20);
  for (const std::pair<int, int>& wrong : {std::pair{0, 5}, {6, 5}, {1, 1001}, {-1, -1}})
    CHECK_ERROR(sequence_toy(SequenceKind::reverse, wrong.first, wrong.second), "--min-words");
}

TEST_CASE("the lengths of a toy of letters by default are those of its place in the list", "[toys]") {
  CHECK(generate(sequence_toy(SequenceKind::copy, 1, 12), 4, {200, 10, 10}).train ==
        generate(find_toy("copy"), 4, {200, 10, 10}).train);
  CHECK(generate(sequence_toy(SequenceKind::recall, 1, 20), 4, {200, 10, 10}).train ==
        generate(find_toy("recall"), 4, {200, 10, 10}).train);
}

TEST_CASE("recall has all distances equally often, and no letter is a good guess", "[toys]") {
  std::map<std::size_t, int> distances;
  std::map<std::string, int> letters;
  const auto train = generate(find_toy("recall"), 2).train;
  for (const SentencePair& pair : train) {
    ++distances[characters_of(pair.source).size() - 1];
    ++letters[pair.target];
  }
  REQUIRE(distances.size() == 20);
  CHECK(distances.begin()->first == 1);
  for (const auto& [distance, count] : distances) CHECK(std::abs(count - 500) < 100);
  CHECK(letters.size() == 52);
  for (const auto& [letter, count] : letters) CHECK(count < 300);  // 3 % of 10,000
}

TEST_CASE("a target of brackets closes what is open, and nothing else does", "[toys]") {
  CHECK(without_closed("([]{<>}") == "(");  // the checker itself
  CHECK(without_closed("([)]") == "([)]");
  std::map<std::size_t, std::map<std::size_t, int>> lengths;  // by depth
  std::set<char> seen;
  std::size_t with_closed = 0, unlike = 0;
  for (const SentencePair& pair : generate(find_toy("brackets"), 5).train) {
    const std::string source = characters_of(pair.source), target = characters_of(pair.target);
    const std::string open = without_closed(source);
    CHECK(open.find_first_of(")]}>") == std::string::npos);
    CHECK(open.size() == target.size());
    CHECK(without_closed(source + target).empty());
    const std::string turned(target.rbegin(), target.rend());
    if (turned != target) {
      ++unlike;
      CHECK_FALSE(without_closed(source + turned).empty());
    }
    ++lengths[target.size()][source.size()];
    seen.insert(source.begin(), source.end());
    with_closed += source.size() > open.size() ? 1 : 0;
  }
  CHECK(seen.size() == 8);
  CHECK(unlike > 10000);
  CHECK(with_closed > 18000);
  REQUIRE(lengths.size() == 8);
  for (const auto& [depth, counts] : lengths) {
    int sum = 0;
    std::set<std::size_t> found;
    for (const auto& [length, count] : counts) {
      sum += count;
      found.insert(length);
      CHECK(std::abs(count - 312) < 80);
    }
    CHECK(std::abs(sum - 2500) < 250);
    CHECK(found == (depth % 2 == 0 ? std::set<std::size_t>{8, 10, 12, 14, 16, 18, 20, 22}
                                   : std::set<std::size_t>{9, 11, 13, 15, 17, 19, 21, 23}));
  }
}

TEST_CASE("all texts of brackets of one length and depth are equally likely", "[toys]") {
  std::map<std::string, int>
      shapes;  // of 9 brackets with 7 open: 8 texts of one kind, less the one that begins with a closing one
  regard::SplitMix64 random(3);
  for (int i = 0; i < 60000; ++i) {
    std::string source = characters_of(find_toy("brackets").sample(random).source);
    if (source.size() != 9 || without_closed(source).size() != 7) continue;
    for (char& c : source) c = std::string("([{<").find(c) == std::string::npos ? ')' : '(';
    ++shapes[source];
  }
  CHECK(shapes.size() == 8);
  for (const auto& [shape, count] : shapes) CHECK(std::abs(count - 60000 / 64 / 8) < 50);
}
