// Translations with a given beginning.
#include <algorithm>

#include "autograd/error.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr Index vocabulary = 7;

bool begins_with(const Ids& tokens, const Ids& prefix) {
  return tokens.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), tokens.begin());
}

}  // namespace

TEST_CASE("a search with a prefix equals a search that tries everything with this beginning") {
  const std::vector<Ids> prefixes{{5, 3}, {6}};
  const std::vector<Ids> sources = random_sentences({2, 5}, vocabulary, 3);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EncoderDecoder model = opinionated_model(vocabulary, seed, 2);
    const SearchOptions options{
        .beam = 400, .n_best = 3, .patience = 0, .max_length_ratio = 0, .max_length_constant = 4};
    const auto found = beam_search(model, pack_sources(sources), options, prefixes);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::vector<Ids> possible = everything(4, vocabulary);
      std::erase_if(possible, [&](const Ids& tokens) { return !begins_with(tokens, prefixes[i]); });
      const Numbers log_probabilities = forced_log_probabilities(model, sources[i], possible);
      std::vector<double> scores;
      for (std::size_t k = 0; k < possible.size(); ++k)
        scores.push_back(log_probabilities[k] / penalty(options, possible[k].size()));
      std::ranges::sort(scores, std::greater<>());
      REQUIRE(found[i].size() == 3);
      for (std::size_t k = 0; k < 3; ++k) {
        CHECK(begins_with(found[i][k].tokens, prefixes[i]));
        CHECK(found[i][k].score == Approx(scores[k]).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("a prefix that is the model's own beginning changes nothing in greedy search") {
  EncoderDecoder model = opinionated_model(20, 4, 3);
  const PackedSequences source = pack_sources(random_sentences({3, 6, 4}, 20, 5));
  const std::vector<Hypothesis> free = greedy_search(model, source);
  for (const std::size_t length : {0, 1, 3}) {
    std::vector<Prefix> prefixes;
    for (const Hypothesis& hypothesis : free)
      prefixes.emplace_back(hypothesis.tokens.begin(),
                            hypothesis.tokens.begin() + to_index(std::min(length, hypothesis.tokens.size())));
    const std::vector<Hypothesis> forced = greedy_search(model, source, {}, prefixes);
    for (std::size_t i = 0; i < free.size(); ++i) {
      CHECK(forced[i].tokens == free[i].tokens);
      CHECK(forced[i].score == free[i].score);
    }
  }
}

TEST_CASE("a prefix may be longer than a translation, and may end it") {
  EncoderDecoder model = opinionated_model(vocabulary, 1, 2);
  const Ids source{4, 5}, words{3, 4, 5, 6, 3};
  const PackedSequences packed = pack_sources({source});
  const SearchOptions options{.beam = 3, .max_length_ratio = 0, .max_length_constant = 2};
  const auto alone = [&](const Prefix& prefix) {
    return beam_search(model, packed, options, std::vector<Prefix>{prefix}).front();
  };
  CHECK(alone(words).front().tokens == words);  // no word follows, because it is too long already
  const double expected = forced_log_probabilities(model, source, {words}).front();
  CHECK(alone(words).front().log_probability == Approx(expected).epsilon(1e-10));

  const std::vector<Hypothesis> ended = alone({4, sentence_end_id});
  REQUIRE(ended.size() == 1);
  CHECK(ended.front().tokens == Ids{4});
  CHECK(alone({sentence_end_id}).front().tokens.empty());
}

TEST_CASE("prefixes that do not fit are refused") {
  EncoderDecoder model = opinionated_model(vocabulary, 1);
  const PackedSequences source = pack_sources({{4}, {5}});
  const auto search = [&](const std::vector<Prefix>& prefixes) {
    return beam_search(model, source, {}, prefixes);
  };
  CHECK_THAT(MESSAGE_OF(search({{4}})), ContainsSubstring("there are 1 prefixes for 2 sentences"));
  CHECK_THAT(MESSAGE_OF(search({{4}, {7}})),
             ContainsSubstring("a prefix has the token 7, but the target vocabulary has 7 entries"));
  CHECK_THAT(MESSAGE_OF(search({{-1}, {4}})), ContainsSubstring("the token -1"));
}
