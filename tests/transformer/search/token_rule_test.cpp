// A rule of the caller: every search follows it, and among all translations that it allows, the best is
// found.
#include <algorithm>

#include "tests/transformer/search/one_pair.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// The translations of the first source.
std::vector<transformer::Hypothesis> first(const std::vector<std::vector<transformer::Hypothesis>>& all) {
  return all.front();
}

}  // namespace

TEST_CASE("a beam wide enough for everything finds all that a rule allows, best first") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EncoderDecoder model = opinionated_model(rule_vocabulary, seed, 2);
    const SearchOptions options = with_rule();
    const auto found = beam_search(model, pack_sources(pair_sources), options);
    for (std::size_t i = 0; i < pair_sources.size(); ++i) {
      CAPTURE(seed, i);
      const auto expected = pair_ranking(model, pair_sources[i], options);
      REQUIRE(found[i].size() == std::min<std::size_t>(expected.size(), 400));
      check_ranking(found[i], expected);
    }
  }
}

TEST_CASE("greedy and narrow searches follow a rule") {
  Index without = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    EncoderDecoder model = opinionated_model(rule_vocabulary, seed, 2);
    const Source source = pack_sources(pair_sources);
    for (const Index beam : {1, 4})
      for (const auto& hypothesis : first(beam_search(model, source, with_rule(beam))))
        CHECK(pairs_in(hypothesis.tokens) == 1);
    CHECK(pairs_in(greedy_search(model, source, with_rule())[2].tokens) == 1);
    SearchOptions free = with_rule(4);
    free.make_rule = {};
    for (const auto& hypothesis : first(beam_search(model, source, free)))
      without += pairs_in(hypothesis.tokens) != 1;
  }
  CHECK(without > 10);
}

TEST_CASE("what a rule wants comes in place of </s>, and the score is that of the model") {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    for (const Index beam : {1, 4}) {
      CAPTURE(seed, beam);
      EncoderDecoder model = opinionated_model(rule_vocabulary, seed, 2);
      SearchOptions options = with_rule(beam);
      options.alpha = 0;
      SearchOptions free = options;
      free.make_rule = {};
      const Source source = pack_sources({pair_sources[0]});
      const auto found = first(beam_search(model, source, options));
      std::vector<Ids> tokens;
      for (const auto& hypothesis : found) tokens.push_back(hypothesis.tokens);
      const Numbers scores = forced_log_probabilities(model, pair_sources[0], tokens);
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].log_probability == Approx(scores[i]).epsilon(1e-10));
        for (std::size_t j = 0; j < i; ++j) CHECK(found[i].tokens != found[j].tokens);
      }
      if (beam > 1) continue;
      // Greedy search goes on as without the rule until the end; this source has no pair otherwise.
      Ids expected = first(beam_search(model, source, free)).front().tokens;
      if (pairs_in(expected) > 0 || to_index(expected.size()) > most_pair_tokens - 2) continue;
      expected.insert(expected.end(), {left_token, right_token});
      CHECK(found.front().tokens == expected);
    }
}

TEST_CASE("a hypothesis with an improbable required token keeps the place that </s> had") {
  // The model gives </s> a probability near 1 in each step, and the tokens of the pair nearly none: all other
  // hypotheses of the beam are more probable than those with the pair.
  EncoderDecoder model = opinionated_model(rule_vocabulary, 1);
  model.generator.bias = Tensor::zeros({rule_vocabulary});
  model.generator.bias.data()[sentence_end_id] = 8;
  model.generator.bias.data()[left_token] = model.generator.bias.data()[right_token] = -30;
  SearchOptions options = with_rule(2);
  options.n_best = 1;
  options.alpha = 0;
  const auto found = first(beam_search(model, pack_sources({pair_sources[0]}), options)).front();
  CHECK(found.tokens == Ids{left_token, right_token});
}

TEST_CASE("a token that never comes is no candidate when all others are forbidden") {
  EncoderDecoder model = one_word_model();
  const Source source = pack_sources(pair_sources);
  for (const auto& of_sentence : beam_search(model, source, one_word_options()))
    check_one_word(of_sentence.front());
  for (const auto& hypothesis : greedy_search(model, source, one_word_options())) check_one_word(hypothesis);
}

TEST_CASE("when a rule refuses all of the likeliest tokens, the likeliest of the others comes") {
  class TwoRight : public transformer::TokenRule {
    bool allows(std::span<const std::int32_t> tokens, std::int32_t next) const override {
      return next == (tokens.size() < 2 ? right_token : sentence_end_id);
    }
  };
  EncoderDecoder model = opinionated_model(rule_vocabulary, 1);
  model.generator.bias = Tensor::zeros({rule_vocabulary});
  model.generator.bias.data()[right_token] = -30;
  for (const Index beam : {1, 2}) {
    SearchOptions options{.beam = beam, .n_best = beam};
    options.make_rule = [](auto) { return std::make_shared<TwoRight>(); };
    const auto found = first(beam_search(model, pack_sources({pair_sources[0]}), options));
    REQUIRE(found.size() == 1);
    CHECK(found.front().tokens == Ids{right_token, right_token});
  }
}

TEST_CASE("the greatest length ends a translation, whatever a rule wants") {
  EncoderDecoder model = opinionated_model(rule_vocabulary, 1);
  SearchOptions options = with_rule(4);
  options.max_length_constant = 1;
  for (const auto& hypothesis : first(beam_search(model, pack_sources(pair_sources), options)))
    CHECK(hypothesis.tokens == Ids{left_token});
}
