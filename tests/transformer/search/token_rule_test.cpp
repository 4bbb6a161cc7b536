// A rule of the caller: every search follows it, and among all translations that it allows, the best is
// found.
#include <algorithm>
#include <set>

#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"
#include "transformer/search/exact_search.h"
#include "transformer/search/sampling.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr Index rule_vocabulary = 6, longest = 5;
constexpr std::int32_t left_token = 4, right_token = 5;

Index pairs_in(std::span<const std::int32_t> tokens) {
  Index count = 0;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
    count += tokens[i] == left_token && tokens[i + 1] == right_token;
  return count;
}

/// A translation of a source that begins with the left token has the left and the right token in a row
/// exactly once. If they are not there when two more tokens may come, they have to follow.
class OnePair : public transformer::TokenRule {
 public:
  std::optional<std::int32_t> restrict(std::span<const std::int32_t> tokens, Index left,
                                       Ids& forbidden) const override {
    const bool after_a = !tokens.empty() && tokens.back() == left_token;
    const bool there = pairs_in(tokens) > 0;
    if (there && after_a) forbidden.push_back(right_token);
    if (there) return {};
    forbidden.push_back(sentence_end_id);
    if (left <= 2) return after_a ? right_token : left_token;
    return {};
  }
};

SearchOptions with_rule(Index beam = 400) {
  SearchOptions options{.beam = beam, .n_best = beam, .patience = 0, .max_length_ratio = 0};
  options.max_length_constant = longest;
  options.make_rule =
      [](std::span<const std::int32_t> source) -> std::shared_ptr<const transformer::TokenRule> {
    CHECK(source.back() == sentence_end_id);
    if (source.front() != left_token) return nullptr;
    return std::make_shared<OnePair>();
  };
  return options;
}

/// The same in another way: whether the rule lets a whole translation pass.
bool allowed(const Ids& tokens) {
  if (pairs_in(tokens) != 1) return false;
  const Ids wanted{left_token, right_token};
  const auto pair = std::search(tokens.begin(), tokens.end(), wanted.begin(), wanted.end()) - tokens.begin();
  // Before the pair, at most longest - 2 tokens; at that place, an `a` must begin the pair.
  return pair < longest - 2 || (pair == longest - 2 && tokens[longest - 3] != left_token);
}

std::vector<Scored> ranking(EncoderDecoder& model, const Ids& source, const SearchOptions& options) {
  std::vector<Ids> translations = everything(longest, rule_vocabulary);
  if (source.front() == left_token)
    std::erase_if(translations, [](const Ids& tokens) { return !allowed(tokens); });
  const Numbers scores = forced_log_probabilities(model, source, translations);
  std::vector<Scored> result;
  for (std::size_t i = 0; i < translations.size(); ++i)
    result.push_back({translations[i], scores[i] / penalty(options, translations[i].size())});
  std::ranges::sort(result, std::greater<>(), &Scored::score);
  return result;
}

/// The translations of the first source.
std::vector<transformer::Hypothesis> first(const std::vector<std::vector<transformer::Hypothesis>>& all) {
  return all.front();
}

const std::vector<Ids> sources{{left_token, 3, 5}, {right_token, 4}, {left_token}};

}  // namespace

TEST_CASE("a beam wide enough for everything finds all that a rule allows, best first") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EncoderDecoder model = opinionated_model(rule_vocabulary, seed, 2);
    const SearchOptions options = with_rule();
    const auto found = beam_search(model, pack_sources(sources), options);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      CAPTURE(seed, i);
      const auto expected = ranking(model, sources[i], options);
      REQUIRE(found[i].size() == std::min<std::size_t>(expected.size(), 400));
      check_ranking(found[i], expected);
    }
  }
}

TEST_CASE("greedy, narrow, exact and sampled searches follow a rule") {
  Index without = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    EncoderDecoder model = opinionated_model(rule_vocabulary, seed, 2);
    const Source source = pack_sources(sources);
    for (const Index beam : {1, 4})
      for (const auto& hypothesis : first(beam_search(model, source, with_rule(beam))))
        CHECK(pairs_in(hypothesis.tokens) == 1);
    CHECK(pairs_in(greedy_search(model, source, with_rule())[2].tokens) == 1);
    transformer::SamplingOptions sampling{.search = with_rule(50)};
    for (const auto& sample : first(sample_search(model, source, sampling)))
      CHECK(pairs_in(sample.tokens) == 1);
    transformer::ExactOptions exact;
    exact.search = with_rule(1);
    const auto best = exact_search(model, pack_sources({sources[0]}), exact).front().best;
    const auto expected = ranking(model, sources[0], {.alpha = 0}).front();
    CHECK(best.tokens == expected.tokens);
    CHECK(best.log_probability == Approx(expected.score).epsilon(1e-10));
    SearchOptions free = with_rule(4);
    free.make_rule = {};
    for (const auto& hypothesis : first(beam_search(model, source, free)))
      without += pairs_in(hypothesis.tokens) != 1;
  }
  CHECK(without > 10);
}

TEST_CASE("the greatest length ends a translation, whatever a rule wants") {
  EncoderDecoder model = opinionated_model(rule_vocabulary, 1);
  SearchOptions options = with_rule(4);
  options.max_length_constant = 1;
  for (const auto& hypothesis : first(beam_search(model, pack_sources(sources), options)))
    CHECK(hypothesis.tokens == Ids{left_token});
}
