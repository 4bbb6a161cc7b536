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
/// exactly once. If they are not there, they come before its end.
class OnePair : public transformer::TokenRule {
 public:
  bool allows(std::span<const std::int32_t> tokens, std::int32_t next) const override {
    return pairs_in(tokens) == 0 || tokens.back() != left_token || next != right_token;
  }
  Ids before_end(std::span<const std::int32_t> tokens) const override {
    return pairs_in(tokens) > 0 ? Ids{} : Ids{left_token, right_token};
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
  // After longest - 2 tokens without the pair it has to come, whatever the last of these tokens is. One token
  // earlier, it comes in place of </s>.
  return pair != longest - 3 || to_index(tokens.size()) == pair + 2;
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

TEST_CASE("what a rule wants comes in place of </s>, and the score is that of the model") {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    for (const Index beam : {1, 4}) {
      CAPTURE(seed, beam);
      EncoderDecoder model = opinionated_model(rule_vocabulary, seed, 2);
      SearchOptions options = with_rule(beam);
      options.alpha = 0;
      SearchOptions free = options;
      free.make_rule = {};
      const Source source = pack_sources({sources[0]});
      const auto found = first(beam_search(model, source, options));
      std::vector<Ids> tokens;
      for (const auto& hypothesis : found) tokens.push_back(hypothesis.tokens);
      const Numbers scores = forced_log_probabilities(model, sources[0], tokens);
      for (std::size_t i = 0; i < found.size(); ++i) {
        CHECK(found[i].log_probability == Approx(scores[i]).epsilon(1e-10));
        for (std::size_t j = 0; j < i; ++j) CHECK(found[i].tokens != found[j].tokens);
      }
      if (beam > 1) continue;
      // Greedy search goes on as without the rule until the end; this source has no pair otherwise.
      Ids expected = first(beam_search(model, source, free)).front().tokens;
      if (pairs_in(expected) > 0 || to_index(expected.size()) > longest - 2) continue;
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
  const auto found = first(beam_search(model, pack_sources({sources[0]}), options)).front();
  CHECK(found.tokens == Ids{left_token, right_token});
}

TEST_CASE("a token that never comes is no candidate when all others are forbidden") {
  // Without repetition and with two words, of which one never comes, a translation ends after one.
  EncoderDecoder model = opinionated_model(rule_vocabulary, 1);
  model.generator.bias = Tensor::zeros({rule_vocabulary});
  model.generator.bias.data()[unknown_id] = model.generator.bias.data()[left_token] =
      transformer::never_predicted;
  SearchOptions options{.beam = 2, .min_length = 3, .no_repeat_ngram = 1};
  const Source source = pack_sources(sources);
  const auto check = [](const transformer::Hypothesis& hypothesis) {
    CHECK(hypothesis.tokens == Ids{right_token});
    CHECK(hypothesis.log_probability > -1e6);
  };
  for (const auto& of_sentence : beam_search(model, source, options)) check(of_sentence.front());
  for (const auto& hypothesis : greedy_search(model, source, options)) check(hypothesis);
  for (const double temperature : {0.0, 1.0})
    for (const auto& of_sentence :
         sample_search(model, source, {.temperature = temperature, .search = options}))
      check(of_sentence.front());
  for (const auto& result : exact_search(model, source, {.search = options})) check(result.best);
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
    const auto found = first(beam_search(model, pack_sources({sources[0]}), options));
    REQUIRE(found.size() == 1);
    CHECK(found.front().tokens == Ids{right_token, right_token});
  }
}

TEST_CASE("a token that a rule refuses is sampled again from the others") {
  // The samples of the first token are distributed as the model's probabilities without the refused ones.
  class NotRight : public transformer::TokenRule {
    bool allows(std::span<const std::int32_t>, std::int32_t next) const override {
      return next != right_token && next != unknown_id;
    }
  };
  EncoderDecoder model = opinionated_model(rule_vocabulary, 2);
  transformer::SamplingOptions sampling{.search = {.n_best = 20000, .max_length = 1}};
  sampling.search.make_rule = [](auto) { return std::make_shared<NotRight>(); };
  const Source source = pack_sources({sources[0]});
  double ended = 0, left = 0;
  for (const auto& sample : first(sample_search(model, source, sampling))) {
    CHECK((sample.tokens.empty() || sample.tokens == Ids{left_token}));
    (sample.tokens.empty() ? ended : left) += 1;
  }
  const NoGrad no_grad;
  const Tensor all =
      log_softmax(model.logits(make_batch(std::vector<Ids>{sources[0]}, std::vector<Ids>{{}})));
  const double end = std::exp(all.at({0, sentence_end_id})), token = std::exp(all.at({0, left_token}));
  CHECK(ended / 20000 == Approx(end / (end + token)).margin(0.02));
  CHECK(end / (end + token) == Approx(0.5).margin(0.45));  // both come
}

TEST_CASE("the greatest length ends a translation, whatever a rule wants") {
  EncoderDecoder model = opinionated_model(rule_vocabulary, 1);
  SearchOptions options = with_rule(4);
  options.max_length_constant = 1;
  for (const auto& hypothesis : first(beam_search(model, pack_sources(sources), options)))
    CHECK(hypothesis.tokens == Ids{left_token});
}
