#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "apps/translation/subwords/bpe_dropout.h"
#include "apps/translation/subwords/subword_regularisation.h"
#include "apps/translation/subwords/subword_sampler.h"
#include "apps/translation/subwords/unigram_sampler.h"
#include "autograd/error.h"
#include "autograd/parallel.h"
#include "tests/apps/subwords/subword_support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Random;
using regard::to_size;

namespace {

using Ids = std::vector<std::int32_t>;

/// The share of each segmentation in a number of draws.
std::map<Ids, double> shares(const SubwordSampler& sampler, const std::string& text, int draws = 40'000) {
  Random random(7);
  std::map<Ids, double> result;
  for (int i = 0; i < draws; ++i) result[sampler.sample(text, random)] += 1.0 / draws;
  return result;
}

/// More than three standard deviations of a share in 40,000 draws.
constexpr double margin = 0.0075;

SubwordPieces by_hand(SubwordType type, const std::vector<SubwordPiece>& normal) {
  return {.type = type, .entries = with_special(normal)};
}

std::vector<std::string> lines_of_both_sides() {
  std::vector<std::string> lines = number_text().source;
  lines.insert(lines.end(), number_text().target.begin(), number_text().target.end());
  lines.emplace_back("one 漢字 tw漢o");  // with unknown characters
  return lines;
}

/// Checks that a sampler cuts every line as the model does.
void check_cuts_as_model(const SubwordSampler& sampler, const SubwordTokeniser& tokeniser) {
  Random random(1);
  for (const std::string& line : lines_of_both_sides())
    CHECK(sampler.sample(tokeniser.normalise(line), random) ==
          tokeniser.vocabulary().ids(tokeniser.split(line)));
}

/// An encoded corpus of numbers, with the text and the tokeniser that are needed to cut it again.
struct Numbers {
  const SubwordTokeniser& tokeniser;
  ParallelCorpus corpus;
  SubwordRegularisation regularisation;

  explicit Numbers(const SubwordSettings& settings, Index max_length = 256)
      : Numbers(settings, number_text(), max_length) {}

  Numbers(const SubwordSettings& settings, const ParallelText& text, Index max_length)
      : tokeniser(number_subwords(settings.type)),
        corpus(encode(text, {tokeniser, tokeniser.vocabulary(), tokeniser.vocabulary(), max_length})),
        regularisation(text, corpus, tokeniser, settings) {}
};

}  // namespace

TEST_CASE("BPE-dropout skips merges with its probability", "[subwords]") {
  // Ids start at 4.
  const SubwordPieces pieces =
      by_hand(SubwordType::bpe, {{"ab", 0}, {"▁ab", -1}, {"▁", -2}, {"a", -3}, {"b", -4}});
  const double p = 0.3;
  const auto found = shares(*bpe_dropout(pieces, p), "▁ab");
  // The merges to ab and then to ▁ab must not be skipped; each has one draw.
  CHECK(found.at({6, 7, 8}) == Approx(p).margin(margin));
  CHECK(found.at({6, 4}) == Approx((1 - p) * p).margin(margin));
  CHECK(found.at({5}) == Approx((1 - p) * (1 - p)).margin(margin));
  CHECK(found.size() == 3);
}

TEST_CASE("BPE-dropout draws again at every step", "[subwords]") {
  const SubwordPieces pieces =
      by_hand(SubwordType::bpe, {{"ab", 0}, {"cd", -1}, {"a", -2}, {"b", -3}, {"c", -4}, {"d", -5}});
  const double p = 0.4, q = 1 - p;
  const auto found = shares(*bpe_dropout(pieces, p), "abcd");
  // Step 1 merges ab (probability q), or only cd (pq), or nothing (pp). After one merge, step 2 can make the
  // other.
  CHECK(found.at({6, 7, 8, 9}) == Approx(p * p).margin(margin));
  CHECK(found.at({4, 8, 9}) == Approx(q * p).margin(margin));
  CHECK(found.at({6, 7, 5}) == Approx(p * q * p).margin(margin));
  CHECK(found.at({4, 5}) == Approx(q * q + p * q * q).margin(margin));
}

TEST_CASE("BPE-dropout cuts like the model with probability 0, and into characters with 1", "[subwords]") {
  const SubwordTokeniser& tokeniser = number_subwords(SubwordType::bpe);
  check_cuts_as_model(*bpe_dropout(tokeniser.pieces(), 0), tokeniser);
  Random random(1);
  std::string text;
  for (const std::int32_t id : bpe_dropout(tokeniser.pieces(), 1)->sample("▁zwölf▁two", random))
    text += tokeniser.vocabulary().token(id) + "|";
  CHECK(text == "▁|z|w|ö|l|f|▁|t|w|o|");
}

TEST_CASE("equal scores are merged from the left", "[subwords]") {
  const SubwordPieces pieces = by_hand(SubwordType::bpe, {{"aa", 0}, {"a", -1}});
  Random random(1);
  CHECK(bpe_dropout(pieces, 0)->sample("aaa", random) == Ids{4, 5});
}

TEST_CASE("the unigram model draws by its probabilities to the power of alpha", "[subwords]") {
  const SubwordPieces pieces =
      by_hand(SubwordType::unigram,
              {{"ab", std::log(0.4)}, {"a", std::log(0.3)}, {"b", std::log(0.2)}, {"bb", std::log(0.1)}});
  for (const double alpha : {1.0, 0.5, 2.0, 0.0}) {
    CAPTURE(alpha);
    const std::map<Ids, double> probabilities = {{{4, 6}, std::pow(0.4 * 0.2, alpha)},            // ab b
                                                 {{5, 7}, std::pow(0.3 * 0.1, alpha)},            // a bb
                                                 {{5, 6, 6}, std::pow(0.3 * 0.2 * 0.2, alpha)}};  // a b b
    const auto check = [&](Index n_best, const std::vector<Ids>& among) {
      double sum = 0;
      for (const Ids& ids : among) sum += probabilities.at(ids);
      const auto found = shares(*unigram_sampler(pieces, alpha, n_best), "abb");
      CHECK(found.size() == among.size());
      for (const Ids& ids : among) CHECK(found.at(ids) == Approx(probabilities.at(ids) / sum).margin(margin));
    };
    check(-1, {{4, 6}, {5, 7}, {5, 6, 6}});
    check(3, {{4, 6}, {5, 7}, {5, 6, 6}});
    check(100, {{4, 6}, {5, 7}, {5, 6, 6}});
    check(2, {{4, 6}, {5, 7}});
  }
}

TEST_CASE("a larger alpha draws the best segmentation more often", "[subwords]") {
  const SubwordTokeniser& tokeniser = number_subwords(SubwordType::unigram);
  check_cuts_as_model(*unigram_sampler(tokeniser.pieces(), 1e6, -1), tokeniser);
  check_cuts_as_model(*unigram_sampler(tokeniser.pieces(), 0.1, 1), tokeniser);
}

TEST_CASE("samples have other pieces but the same text", "[subwords]") {
  for (const SubwordSettings& settings :
       {SubwordSettings{.type = SubwordType::bpe, .sampling = 0.1},
        SubwordSettings{.type = SubwordType::unigram, .sampling = 0.2},
        SubwordSettings{.type = SubwordType::unigram, .sampling = 0.2, .sampling_n_best = 8}}) {
    CAPTURE(to_string(settings.type), settings.sampling_n_best);
    const Numbers numbers(settings);
    const ParallelCorpus sampled = numbers.regularisation.sample(numbers.corpus, 1, 1);
    const auto text = [&](const Ids& ids) {
      return numbers.tokeniser.join(numbers.tokeniser.vocabulary().tokens(ids));
    };
    REQUIRE(sampled.pairs() == numbers.corpus.pairs());
    CHECK(sampled.lines == numbers.corpus.lines);
    std::size_t other = 0;
    for (std::size_t i = 0; i < sampled.source.size(); ++i) {
      CHECK(text(sampled.source[i]) == number_text().source[i]);
      CHECK(text(sampled.target[i]) == number_text().target[i]);
      other += sampled.source[i] != numbers.corpus.source[i];
    }
    CHECK(other > sampled.source.size() / 2);
  }
}

TEST_CASE("samples are a function of seed, epoch and line", "[subwords]") {
  for (const SubwordSettings& settings : {SubwordSettings{.type = SubwordType::bpe, .sampling = 0.1},
                                          SubwordSettings{.type = SubwordType::unigram, .sampling = 0.2}}) {
    const Numbers numbers(settings);
    const auto sample = [&](std::uint64_t seed, Index epoch) {
      return numbers.regularisation.sample(numbers.corpus, seed, epoch);
    };
    const ParallelCorpus first = sample(1, 1);
    CHECK(sample(1, 2).source != first.source);
    CHECK(sample(2, 1).source != first.source);
    CHECK(sample(1, 1).source == first.source);
    CHECK(sample(1, 1).target == first.target);
    const int threads = regard::threads();
    regard::set_threads(threads == 1 ? 3 : 1);
    CHECK(sample(1, 1).target == first.target);
    regard::set_threads(threads);

    // Without the first pair and the long pairs, the other pairs are cut as before.
    ParallelText text = number_text();
    text.source[0] = "";
    const Numbers fewer(settings, text, 10);
    CHECK(fewer.corpus.pairs() < numbers.corpus.pairs() - 1);
    const ParallelCorpus sampled = fewer.regularisation.sample(fewer.corpus, 1, 1);
    std::size_t longest = 0;
    for (std::size_t i = 0; i < sampled.lines.size(); ++i) {
      const auto line = to_size(sampled.lines[i]);  // no line of `numbers` was dropped
      CHECK(sampled.source[i] == first.source[line]);
      CHECK(sampled.target[i] == first.target[line]);
      longest = std::max({longest, sampled.source[i].size(), sampled.target[i].size()});
    }
    CHECK(longest > 10);  // max_length limits only the model's own cut
  }
}

TEST_CASE("the same sentence is cut differently in other lines and on the other side", "[subwords]") {
  ParallelText text{.source = {}, .target = {}, .name = "x"};
  text.source.assign(200, "seventeen thousand");
  text.target = text.source;
  const Numbers numbers({.type = SubwordType::bpe, .sampling = 0.3}, text, 256);
  const ParallelCorpus sampled = numbers.regularisation.sample(numbers.corpus, 1, 1);
  CHECK(std::set<Ids>(sampled.source.begin(), sampled.source.end()).size() > 20);
  CHECK(sampled.source != sampled.target);
}

TEST_CASE("an epoch without regularisation uses the corpus itself", "[subwords]") {
  const Numbers numbers({.type = SubwordType::bpe, .sampling = 0.1});
  EpochCorpus plain(numbers.corpus, nullptr, 1);
  CHECK(&plain.at(1) == &numbers.corpus);
  CHECK(&plain.at(2) == &numbers.corpus);
  EpochCorpus sampled(numbers.corpus, &numbers.regularisation, 1);
  CHECK(sampled.at(2).source == numbers.regularisation.sample(numbers.corpus, 1, 2).source);
  CHECK(sampled.at(1).source == numbers.regularisation.sample(numbers.corpus, 1, 1).source);
}

TEST_CASE("a model that cannot be sampled is refused", "[subwords]") {
  const auto refused = [](SubwordType type, const SubwordPiece& piece, double sampling, Index n_best = -1) {
    return MESSAGE_OF(make_subword_sampler(by_hand(type, {{"▁", 0}, piece}), sampling, n_best));
  };
  CHECK_THAT(refused(SubwordType::bpe, {"▁a", -1}, 1), ContainsSubstring("no error was thrown"));
  CHECK_THAT(refused(SubwordType::unigram, {"▁a", -1}, 1.5), ContainsSubstring("no error was thrown"));
  CHECK_THAT(refused(SubwordType::bpe, {"▁a", -1}, 1.5),
             ContainsSubstring("data.subwords.sampling is a probability, but it is 1.5; give at most 1"));
  CHECK_THAT(refused(SubwordType::unigram, {"▁a", -1}, 0.5, 9), ContainsSubstring("no error was thrown"));
  CHECK_THAT(refused(SubwordType::bpe, {"▁a", -1}, 0.5, 9),
             ContainsSubstring("sampling_n_best 9 needs a model of type unigram; this model is of type bpe"));
  CHECK_THAT(refused(SubwordType::word, {"▁a", -1}, 0.1),
             ContainsSubstring("of type bpe or unigram, not word"));
  CHECK_THAT(refused(SubwordType::bpe, {"a▁b", -1}, 0.1), ContainsSubstring("its piece 5, \"a▁b\", is not"));
  CHECK_THAT(refused(SubwordType::bpe, {"\x1B▁", -1}, 0.1),
             ContainsSubstring("its piece 5, \"\\x1B▁\", is not"));
  CHECK_THAT(refused(SubwordType::bpe, {"<0x41>", -1, SubwordPiece::Kind::byte}, 0.1),
             ContainsSubstring("normal text within a word; its piece 5, \"<0x41>\", is not"));
}
