// The score of a given translation: what the model says of it, token by token.
#include "autograd/error.h"
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
  CHECK_THAT(MESSAGE_OF(score(model, batch)),
             ContainsSubstring("score: the decoder reads 3 tokens, but 2 are to be scored"));
  for (const std::int32_t id : {-1, 9}) {
    batch.target_output = {5, id, 2};
    CHECK_THAT(MESSAGE_OF(score(model, batch)),
               ContainsSubstring("there is no token " + std::to_string(id) + " in a target vocabulary of 9"));
  }
}
