// What is given to a model: the score of a translation, token by token, and translations with a given
// beginning.
#include <algorithm>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"
#include "transformer/teacher_forcing.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// log p of each token and </s>, by plain loops over the logits of one pair alone.
Numbers naive(EncoderDecoder& model, const Ids& source, const Ids& target) {
  const NoGrad no_grad;
  const Tensor logits = model.logits(make_batch({source}, {target}));
  Numbers result;
  for (const std::int32_t token : enclosed({}, target, {sentence_end_id})) {
    const Numbers row = numbers(rows(logits, std::ssize(result), std::ssize(result) + 1));
    double sum = 0;
    for (const double logit : row) sum += std::exp(logit);
    result.push_back(row[to_size(token)] - std::log(sum));
  }
  return result;
}

}  // namespace

TEST_CASE("every pair of a batch has the score that it has alone") {
  EncoderDecoder model = opinionated_model(9, 1);
  // More rows than are projected at a time; empty sides among them.
  Random random(2);
  std::vector<Ids> sources, targets;
  for (std::size_t i = 0; i < 150; ++i) {
    sources.push_back(random_sentence(i % 7, 9, random));
    targets.push_back(random_sentence((i * 5) % 12, 9, random));
  }
  const Batch batch = make_batch(sources, targets);
  REQUIRE(batch.target_output.size() > 600);
  const std::vector<ForcedScore> scores = score(model, batch);
  REQUIRE(scores.size() == 150);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const Numbers expected = naive(model, sources[i], targets[i]);
    CHECK(error(scores[i].token_log_probabilities, expected) < 1e-12);
    double sum = 0;
    for (const double log_probability : expected) sum += log_probability;
    CHECK(scores[i].log_probability == Approx(sum).epsilon(1e-12));
  }
  CHECK(scores[0].token_log_probabilities.size() == 1);  // an empty translation is </s>
}

TEST_CASE("what a search finds has the score that it says") {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EncoderDecoder model = opinionated_model(9, seed);
    const std::vector<Ids> sources = random_sentences({3, 1, 5, 0, 4}, 9, seed);
    const SearchOptions options{.beam = 5, .n_best = 3, .alpha = 0.8, .min_length = 2, .no_repeat_ngram = 2};
    const auto found = beam_search(model, pack_sources(sources), options);
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<Ids> translations;
      for (const auto& list : found) translations.push_back(list[k].tokens);
      const std::vector<ForcedScore> scores = score(model, make_batch(sources, translations));
      for (std::size_t i = 0; i < sources.size(); ++i) {
        CHECK(found[i][k].log_probability == Approx(scores[i].log_probability).epsilon(1e-12));
        CHECK(found[i][k].score ==
              Approx(scores[i].log_probability / penalty(options, translations[i].size())).epsilon(1e-12));
      }
      const std::vector<ForcedScore> others = score(model, make_batch(sources, sources));
      CHECK(others[0].log_probability != Approx(scores[0].log_probability));
    }
  }
}

TEST_CASE("a pair that cannot be scored is refused") {
  EncoderDecoder model = opinionated_model(9, 3);
  CHECK(score(model, {}).empty());
  Batch batch = make_batch({{4}}, {{5, 6}});
  batch.target_output.pop_back();
  CHECK_ERROR(score(model, batch), "score: the decoder reads 3 tokens, but 2 are to be scored");
  for (const std::int32_t id : {-1, 9}) {
    batch.target_output = {5, id, 2};
    CHECK_ERROR(score(model, batch),
                "there is no token " + std::to_string(id) + " in a target vocabulary of 9");
  }
}

namespace {

constexpr Index entries = 7;

bool begins_with(const Ids& tokens, const Ids& prefix) {
  return tokens.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), tokens.begin());
}

}  // namespace

TEST_CASE("a search with a prefix equals a search that tries everything with this beginning") {
  const std::vector<Ids> prefixes{{5, 3}, {6}};
  const std::vector<Ids> sources = random_sentences({2, 5}, entries, 3);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    EncoderDecoder model = opinionated_model(entries, seed, 2);
    const SearchOptions options{
        .beam = 400, .n_best = 3, .patience = 0, .max_length_ratio = 0, .max_length_constant = 4};
    const auto found = beam_search(model, pack_sources(sources), options, prefixes);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::vector<Ids> possible = everything(4, entries);
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
  EncoderDecoder model = opinionated_model(entries, 1, 2);
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
  EncoderDecoder model = opinionated_model(entries, 1);
  const PackedSequences source = pack_sources({{4}, {5}});
  const auto search = [&](const std::vector<Prefix>& prefixes) {
    return beam_search(model, source, {}, prefixes);
  };
  CHECK_ERROR(search({{4}}), "there are 1 prefixes for 2 sentences");
  CHECK_ERROR(search({{4}, {7}}), "a prefix has the token 7, but the target vocabulary has 7 entries");
  CHECK_ERROR(search({{-1}, {4}}), "the token -1");
}
