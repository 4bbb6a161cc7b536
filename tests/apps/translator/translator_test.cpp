#include "apps/translation/translator/translator.h"

#include <algorithm>

#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"
#include "tests/apps/translator/small_translator.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;
using regard::to_size;
using regard::transformer::SearchOptions;

TEST_CASE("each sentence gives the same result as alone, in the given order", "[translator]") {
  const SmallTraining training;
  regard::transformer::EncoderDecoder model = training.model();
  model.eval();
  // More than one batch, with long and short sentences in turn.
  const std::vector<std::vector<std::int32_t>> sources =
      numbered_corpus(300, 20, SmallTraining::words).source;
  for (const SearchOptions& options :
       {SearchOptions{.beam = 1, .max_length_ratio = 0, .max_length_constant = 4},
        SearchOptions{.beam = 3, .n_best = 2, .max_length_ratio = 0, .max_length_constant = 4}}) {
    const auto found = search_all(model, sources, options);
    REQUIRE(found.size() == sources.size());
    for (std::size_t i = 0; i < sources.size(); i += 7) {
      CAPTURE(i);
      const auto alone = search_all(model, {sources[i]}, options).front();
      REQUIRE(found[i].size() == to_size(options.n_best));
      REQUIRE(alone.size() == found[i].size());
      for (std::size_t n = 0; n < alone.size(); ++n) {
        CHECK(found[i][n].tokens == alone[n].tokens);
        CHECK(found[i][n].score == Approx(alone[n].score).epsilon(1e-4));
      }
    }
  }
  CHECK(search_all(model, {}, {}).empty());
}

TEST_CASE("a beam above 8 makes the batches smaller", "[translator]") {
  const SmallTraining training;
  regard::transformer::EncoderDecoder model = training.model();
  model.eval();
  // Sentences of 99 words and </s>: 1,024 tokens hold 10 of them.
  const std::vector<std::vector<std::int32_t>> sources(120, std::vector<std::int32_t>(99, 4));
  const auto batches = [&](Index beam) {
    return searches("beam_search", [&] { search_all(model, sources, {.beam = beam, .max_length = 1}); });
  };
  for (const Index beam : {2, 8}) CHECK(batches(beam) == 12);
  CHECK(batches(16) == 24);
  CHECK(batches(80) == 120);
  CHECK(batches(100'000) == 120);  // at least one sentence per batch
}

TEST_CASE("scores come in the order of the pairs and equal the scores of translations", "[translator]") {
  const SmallTraining training;
  regard::transformer::EncoderDecoder model = training.model();
  model.eval();
  ParallelCorpus corpus = numbered_corpus(300, 40, SmallTraining::words);  // more than one batch
  const SearchOptions options{.beam = 3, .max_length = 8};
  const auto found = search_all(model, corpus.source, options);
  for (std::size_t i = 0; i < found.size(); ++i) corpus.target[i] = found[i].front().tokens;
  const auto scores = score_all(model, corpus);
  REQUIRE(scores.size() == 300);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    CHECK(scores[i].token_log_probabilities.size() == corpus.target[i].size() + 1);
    CHECK(scores[i].log_probability == Approx(found[i].front().log_probability).epsilon(1e-4));
  }
  CHECK(score_all(model, {}).empty());
}

TEST_CASE("the score of a translation that is given is the log-probability of the search", "[translator]") {
  Translator translate = small_translator();
  const SearchOptions options{.beam = 3, .alpha = 0, .max_length = 4};  // scores are log-probabilities
  const std::vector<std::string> sources{"w1 w2 w3", "", "w4"};
  std::vector<std::string> targets;
  const auto found = translate.translate(sources, options);
  for (const Translator::Result& result : found) targets.push_back(result.n_best.front().text);
  const auto scores = translate.score(sources, targets);
  REQUIRE(scores.size() == 3);
  CHECK_FALSE(scores[1].has_value());
  for (const std::size_t i : {0u, 2u}) {
    REQUIRE(scores[i].has_value());
    CHECK(scores[i]->log_probability == Approx(*found[i].n_best.front().score).epsilon(1e-4));
  }
  CHECK_ERROR(translate.score(sources, {"w1"}), "3 sources, but 1 targets");
  CHECK_ERROR(translate.score({"w1", "w1"}, {"w1", "w1 w1 w1 w1 w1 w1"}, 7), "line 8 has 6 tokens");
  CHECK_ERROR(translate.translate({"w1"}, {.beam = 99}), "beam is 99, but the target vocabulary has only 12");
}

TEST_CASE("an empty sentence has an empty translation", "[translator]") {
  Translator translate = small_translator();
  const auto results = translate.translate({"", "w1", " \t "}, {.beam = 2, .n_best = 2});
  REQUIRE(results.size() == 3);
  for (const std::size_t i : {0u, 2u}) {
    REQUIRE(results[i].n_best.size() == 1);
    CHECK(results[i].n_best[0].text.empty());
    CHECK_FALSE(results[i].n_best[0].score.has_value());
  }
  CHECK(results[1].n_best.size() == 2);
  CHECK(results[1].n_best[0].score.has_value());
}

TEST_CASE("sources in memory have the translations of their sentences", "[translator]") {
  Translator translating = small_translator();
  const std::vector<std::string> sentences{"w1 w2 w3", "w4"};
  const SearchOptions options{.beam = 3, .n_best = 2};
  const auto found = translating.translate_sources(
      {translating.read(sentences[0]), translating.read(sentences[1])}, options);
  const auto expected = translating.translate(sentences, options);
  REQUIRE(found.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    REQUIRE(found[i].n_best.size() == 2);
    for (std::size_t n = 0; n < 2; ++n) {
      CHECK(found[i].n_best[n].ids == expected[i].n_best[n].ids);
      CHECK(found[i].n_best[n].score == expected[i].n_best[n].score);
    }
  }
}

TEST_CASE("unknown words are listed and read as <unk>", "[translator]") {
  Translator translate = small_translator();
  const auto results = translate.translate({"w1 x w2 </s>", "w1 y w2 y", "w1 w2"}, {});
  CHECK(results[0].source.unknown_words == std::vector<std::string>{"x", "</s>"});
  CHECK(results[1].source.unknown_words == std::vector<std::string>{"y", "y"});
  CHECK(results[2].source.unknown_words.empty());
  CHECK(results[0].n_best[0].text == results[1].n_best[0].text);  // equal for the model
}

TEST_CASE("a sentence that is too long is refused with its line", "[translator]") {
  Translator translate = small_translator();
  CHECK(translate.translate({"w1 w1 w1 w1 w1"}, {}).size() == 1);
  CHECK_ERROR(translate.read_all({"w1", "w1 w1 w1 w1 w1 w1"}, 1001),
              "line 1002 has 6 tokens, but this model takes at most 5; split the sentence");
  CHECK_THROWS_AS(translate.read("w1 w1 w1 w1 w1 w1"), TooLong);
}

TEST_CASE("the attention weights of each target token sum to 1 over the source", "[translator]") {
  Translator translate = small_translator();
  const auto found = translate.translate({"w1 w2 w3"}, {.beam = 2, .n_best = 2}).front().n_best;
  const auto source = translate.read("w1 w2 w3");
  const Translator::Attention attention = translate.attention(source, found.front());
  CHECK(attention.source_tokens == std::vector<std::string>{"w1", "w2", "w3", "</s>"});
  CHECK(attention.target_tokens.back() == "</s>");
  std::string text;
  for (std::size_t i = 0; i + 1 < attention.target_tokens.size(); ++i)
    text += (i > 0 ? " " : "") + attention.target_tokens[i];
  CHECK(text == found.front().text);
  // The attention belongs to the given translation; no new search runs.
  const Translation given{.text = "w7", .ids = {11}};
  CHECK(translate.attention(source, given).target_tokens == std::vector<std::string>{"w7", "</s>"});

  const regard::Tensor& weights = attention.weights;
  REQUIRE(weights.shape() == regard::Shape{to_index(attention.target_tokens.size()), 4});
  for (Index row = 0; row < weights.size(0); ++row) {
    double sum = 0;
    for (Index column = 0; column < 4; ++column) {
      CHECK(weights.at({row, column}) > 0);
      sum += static_cast<double>(weights.at({row, column}));
    }
    CHECK(sum == Approx(1).epsilon(1e-5));
  }
}
