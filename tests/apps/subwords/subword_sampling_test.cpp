#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/subwords/subword_regularisation.h"
#include "apps/translation/files/json.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"
#include "autograd/machine/parallel.h"
#include "tests/apps/subwords/subword_support.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_size;

namespace {

using Ids = std::vector<std::int32_t>;

/// The share of each segmentation of a text in a number of draws. A model of these pieces cuts it.
std::map<Ids, double> shares(std::uint64_t type, const std::vector<SubwordPiece>& normal,
                             const std::string& text, double sampling, Index n_best = -1) {
  const SubwordTokeniser tokeniser(model_bytes(with_special(normal), type), "by hand");
  constexpr std::uint32_t draws = 10'000;
  std::map<Ids, double> result;
  for (std::uint32_t seed = 0; seed < draws; ++seed)
    result[tokeniser.sample(text, sampling, n_best, seed)] += 1.0 / draws;
  return result;
}

/// Three standard deviations of a share in 10,000 draws, at most.
constexpr double margin = 0.015;

/// An encoded corpus of numbers, with the text and the tokeniser that are needed to cut it again.
struct NumberTraining {
  const SubwordTokeniser& tokeniser;
  ParallelCorpus corpus;
  SubwordRegularisation regularisation;

  explicit NumberTraining(const SubwordSettings& settings, Index max_length = 256)
      : NumberTraining(settings, number_text(), max_length) {}

  NumberTraining(const SubwordSettings& settings, const ParallelText& text, Index max_length)
      : tokeniser(number_subwords(settings.type)),
        corpus(encode(text, {tokeniser, tokeniser.vocabulary(), tokeniser.vocabulary(), max_length})),
        regularisation(text, corpus, tokeniser, settings) {}
};

}  // namespace

TEST_CASE("BPE-dropout leaves out merges with its probability", "[subwords]") {
  // Ids start at 4. The library puts a ▁ before the text.
  const double p = 0.3, q = 1 - p;
  auto found = shares(bpe_in_file, {{"ab", 0}, {"▁ab", -1}, {"▁", -2}, {"a", -3}, {"b", -4}}, "ab", p);
  CHECK(found.at({6, 7, 8}) == Approx(p).margin(margin));
  CHECK(found.at({6, 4}) == Approx(q * p).margin(margin));
  CHECK(found.at({5}) == Approx(q * q).margin(margin));
  CHECK(found.size() == 3);
  const std::vector<SubwordPiece> two_pairs = {{"ab", 0}, {"cd", -1}, {"▁", -2}, {"a", -3},
                                               {"b", -4}, {"c", -5},  {"d", -6}};
  found = shares(bpe_in_file, two_pairs, "abcd", p);
  CHECK(found.at({6, 7, 8, 9, 10}) == Approx(p * p).margin(margin));
  CHECK(found.at({6, 4, 9, 10}) == Approx(q * p).margin(margin));
  CHECK(found.at({6, 7, 8, 5}) == Approx(p * q).margin(margin));
  CHECK(found.at({6, 4, 5}) == Approx(q * q).margin(margin));
  CHECK(shares(bpe_in_file, two_pairs, "abcd", 1).size() == 1);  // into characters
}

TEST_CASE("the unigram model draws by its probabilities to the power of alpha", "[subwords]") {
  const std::vector<SubwordPiece> pieces = {
      {"ab", std::log(0.4)}, {"a", std::log(0.3)}, {"b", std::log(0.2)}, {"bb", std::log(0.1)}, {"▁", 0}};
  for (const double alpha : {1.0, 0.5, 2.0}) {
    CAPTURE(alpha);
    const std::map<Ids, double> probabilities = {{{8, 4, 6}, std::pow(0.4 * 0.2, alpha)},            // ab b
                                                 {{8, 5, 7}, std::pow(0.3 * 0.1, alpha)},            // a bb
                                                 {{8, 5, 6, 6}, std::pow(0.3 * 0.2 * 0.2, alpha)}};  // a b b
    const auto check = [&](Index n_best, const std::vector<Ids>& among) {
      double sum = 0;
      for (const Ids& ids : among) sum += probabilities.at(ids);
      const auto found = shares(unigram_in_file, pieces, "abb", alpha, n_best);
      CHECK(found.size() == among.size());
      for (const Ids& ids : among) CHECK(found.at(ids) == Approx(probabilities.at(ids) / sum).margin(margin));
    };
    check(-1, {{8, 4, 6}, {8, 5, 7}, {8, 5, 6, 6}});
    check(100, {{8, 4, 6}, {8, 5, 7}, {8, 5, 6, 6}});
    check(2, {{8, 4, 6}, {8, 5, 7}});
  }
}

TEST_CASE("samples have other pieces but the same text", "[subwords]") {
  for (const SubwordSettings& settings :
       {SubwordSettings{.type = SubwordType::bpe, .sampling = 0.1},
        SubwordSettings{.type = SubwordType::unigram, .sampling = 0.2},
        SubwordSettings{.type = SubwordType::unigram, .sampling = 0.2, .sampling_n_best = 8}}) {
    CAPTURE(to_string(settings.type), settings.sampling_n_best);
    const NumberTraining numbers(settings);
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
    const NumberTraining numbers(settings);
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
    const NumberTraining fewer(settings, text, 10);
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

TEST_CASE("a sentence with more subwords than the model has positions keeps its usual cut", "[subwords]") {
  const SubwordSettings settings{.type = SubwordType::bpe, .sampling = 0.1};
  const NumberTraining numbers(settings);
  const ParallelCorpus free = numbers.regularisation.sample(numbers.corpus, 1, 1);
  const SentenceLimits limits{.source = 12, .target = 15};
  const ParallelCorpus limited =
      SubwordRegularisation(number_text(), numbers.corpus, numbers.tokeniser, settings, limits)
          .sample(numbers.corpus, 1, 1);
  std::size_t kept = 0, sampled = 0;
  const auto check = [&](const auto& got, const auto& usual, const auto& drawn, Index limit) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      const bool fits = regard::to_index(drawn[i].size()) <= limit;
      CHECK(got[i] == (fits ? drawn[i] : usual[i]));
      ++(fits ? sampled : kept);
    }
  };
  check(limited.source, numbers.corpus.source, free.source, limits.source);
  check(limited.target, numbers.corpus.target, free.target, limits.target);
  CHECK(kept > 10);
  CHECK(sampled > 10);
}

TEST_CASE("learned positions limit the subwords of a sentence", "[subwords]") {
  Settings settings;
  const auto limits = [&](const std::vector<std::string>& overrides) {
    const SentenceLimits longest = parse_settings(Json::object(), "c", overrides).model.longest_sentences();
    return std::pair(longest.source, longest.target);
  };
  const SentenceLimits none;
  CHECK(limits({}) == std::pair(none.source, none.target));
  const std::string learned = "model.positions.kind=learned", most = "model.positions.most=40";
  CHECK(limits({learned, most}) == std::pair<Index, Index>(39, 39));
  CHECK(limits({learned, most, "model.positions.sides=decoder"}) == std::pair<Index, Index>(none.source, 39));
}

TEST_CASE("the same sentence is cut differently in other lines and on the other side", "[subwords]") {
  ParallelText text{.source = {}, .target = {}, .name = "x"};
  text.source.assign(200, "seventeen thousand");
  text.target = text.source;
  const NumberTraining numbers({.type = SubwordType::bpe, .sampling = 0.3}, text, 256);
  const ParallelCorpus sampled = numbers.regularisation.sample(numbers.corpus, 1, 1);
  CHECK(std::set<Ids>(sampled.source.begin(), sampled.source.end()).size() > 20);
  CHECK(sampled.source != sampled.target);
}

TEST_CASE("an epoch without regularisation uses the corpus itself", "[subwords]") {
  const NumberTraining numbers({.type = SubwordType::bpe, .sampling = 0.1});
  EpochCorpus plain(numbers.corpus, {}, 1);
  CHECK(&plain.at(1) == &numbers.corpus);
  CHECK(&plain.at(2) == &numbers.corpus);
  const auto cut_again = [&](const ParallelCorpus& corpus, std::uint64_t seed, Index epoch) {
    return numbers.regularisation.sample(corpus, seed, epoch);
  };
  EpochCorpus sampled(numbers.corpus, cut_again, 1);
  CHECK(sampled.at(2).source == numbers.regularisation.sample(numbers.corpus, 1, 2).source);
  CHECK(sampled.at(1).source == numbers.regularisation.sample(numbers.corpus, 1, 1).source);
}

TEST_CASE("a model that cannot be sampled is refused", "[subwords]") {
  const ParallelText text{.source = {"a"}, .target = {"a"}, .name = "x"};
  const auto refused = [&](std::uint64_t type, double sampling, Index n_best = -1) {
    const SubwordTokeniser tokeniser(model_bytes(with_special({{"▁", 0}, {"▁a", -1}}), type), "x.model");
    return MESSAGE_OF(
        SubwordRegularisation(text, {}, tokeniser, {.sampling = sampling, .sampling_n_best = n_best}));
  };
  CHECK_CONTAINS(refused(bpe_in_file, 1), "no error was thrown");
  CHECK_CONTAINS(refused(unigram_in_file, 1.5), "no error was thrown");
  CHECK_CONTAINS(refused(bpe_in_file, 1.5),
                 "data.subwords.sampling is a probability, but it is 1.5; give at most 1");
  CHECK_CONTAINS(refused(unigram_in_file, 0.5, 9), "no error was thrown");
  CHECK_CONTAINS(refused(bpe_in_file, 0.5, 9),
                 "sampling_n_best 9 needs a model of type unigram; this model is of type bpe");
  CHECK_CONTAINS(refused(3, 0.1), "of type bpe or unigram, not word");
}
