// Lines in another language than their side, in corpora of invented languages: each has letters and words of
// its own.
#include "apps/inspection/languages.h"

#include <cmath>

#include "apps/inspection/trigrams.h"
#include "autograd/machine/random.h"
#include "tests/apps/support.h"

using namespace regard::translation;
using regard::Random;

namespace {

/// A language of 300 words. Each letter is followed by four letters only, which differ from language to
/// language.
struct Language {
  std::vector<std::string> words;

  explicit Language(std::uint64_t seed) {
    Random random(seed);
    std::string next;
    for (int i = 0; i < 26 * 4; ++i) next += static_cast<char>('a' + random.below(26));
    for (int i = 0; i < 300; ++i) {
      std::string word(1, static_cast<char>('a' + random.below(26)));
      for (std::uint64_t letters = 1 + random.below(8); letters > 0; --letters)
        word += next[static_cast<std::size_t>(word.back() - 'a') * 4 + random.below(4)];
      words.push_back(word);
    }
  }
  std::string sentence(Random& random) const {
    std::string line;
    for (std::uint64_t count = 5 + random.below(15); count > 0; --count)
      line += words[random.below(words.size())] + " ";
    return line + ".";
  }
};

struct Invented {
  Language one{1}, other{2}, third{3};
  Random random{4};

  ParallelText corpus(std::size_t pairs) {
    ParallelText corpus;
    for (std::size_t i = 0; i < pairs; ++i) {
      corpus.source.push_back(one.sentence(random));
      corpus.target.push_back(other.sentence(random));
    }
    return corpus;
  }
};

/// How many pairs from `begin`, `step` apart, are said to be so.
std::ptrdiff_t count(const std::vector<Languages>& guesses, Languages what, std::size_t begin = 0,
                     std::size_t step = 1) {
  std::ptrdiff_t found = 0;
  for (std::size_t i = begin; i < guesses.size(); i += step) found += guesses[i] == what;
  return found;
}

}  // namespace

TEST_CASE("lines in a third language and swapped pairs are found, and no others", "[inspection]") {
  Invented invented;
  const ParallelText clean = invented.corpus(3000);
  CHECK(count(guess_languages(clean), Languages::usual) >= 2994);
  ParallelText damaged = clean;
  for (std::size_t i = 0; i < 3000; i += 50) {
    damaged.target[i] = invented.third.sentence(invented.random);
    std::swap(damaged.source[i + 1], damaged.target[i + 1]);
    damaged.target[i + 2] = invented.one.sentence(invented.random);
  }
  const std::vector<Languages> guesses = guess_languages(damaged);
  CHECK(count(guesses, Languages::strange, 0, 50) >= 58);
  CHECK(count(guesses, Languages::swapped, 1, 50) >= 58);
  CHECK(count(guesses, Languages::strange, 2, 50) >= 58);
  CHECK(count(guesses, Languages::usual) >= 3000 - 180 - 6);
  // If both sides have one language, nothing is swapped.
  ParallelText copies = damaged;
  copies.target = copies.source;
  CHECK(count(guess_languages(copies), Languages::swapped) == 0);
}

TEST_CASE("short lines and small corpora have no strange lines", "[inspection]") {
  Invented invented;
  CHECK(guess_languages({}).empty());
  ParallelText few = invented.corpus(10);
  few.target.back() = invented.third.sentence(invented.random);
  CHECK(count(guess_languages(few), Languages::usual) == 10);
  ParallelText names = invented.corpus(1000);
  for (std::size_t i = 0; i < 1000; i += 10) names.source[i] = names.target[i] = "Qxwqz Jqqvx";
  names.source[5] = names.target[5] = "";
  names.source[6] = names.target[6] = "\xE4";
  names.source[7] = names.target[7] = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15";
  CHECK(count(guess_languages(names), Languages::usual) >= 998);
}

TEST_CASE("symbols of letters", "[inspection]") {
  const std::vector<std::string_view> lines{"Aaa Bb 1 ÄÄÄä"};
  const Alphabet alphabet(lines);
  const auto read = [&](std::string_view line) {
    Symbols symbols{7};
    alphabet.read(line, symbols);
    return symbols;
  };
  CHECK(read("Ab, ä!") == Symbols{0, 3, 4, 0, 2, 0});
  CHECK(read("(a)") == Symbols{0, 3, 0});
  CHECK(read("a日b") == Symbols{0, 3, 0, 4, 0});
  CHECK(read("12").empty());
  CHECK(read("").empty());
  CHECK(read("a\xE4").empty());
}

TEST_CASE("a model of letters gives probabilities that sum to 1", "[inspection]") {
  Trigrams model;
  for (int i = 0; i < 20; ++i) model.count({0, 2, 3, 0, 2, 4, 0});
  model.learn(0);
  const Symbols begin{0, 2};
  double sum = 0;
  for (std::uint8_t next = 0; next < symbol_count; ++next)
    sum += std::exp2(model.bits(begin) - model.bits({0, 2, next}));
  CHECK(sum == Approx(1).epsilon(1e-4));
  CHECK(model.bits({}) == 0);
  // 20 of 40 after "blank 2": n(abc) = 20, n(ab) = 40, p(c | b) from 20 of 40, p(c) from 20 of 140.
  const double alone = 21.0 / (140 + 64), after = (20 + 10 * alone) / (40 + 10);
  CHECK(model.bits({0, 2, 3}) - model.bits(begin) ==
        Approx(-std::log2((20 + 10 * after) / (40 + 10))).epsilon(1e-4));
  Trigrams once;
  once.count({0, 2, 3, 0});
  once.learn(1);  // nothing is left: all symbols are alike
  CHECK(once.bits({0, 2, 3, 0}) == Approx(4 * 6));
}
