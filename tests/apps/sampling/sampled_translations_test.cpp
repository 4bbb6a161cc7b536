// Samples of many sentences, with line numbers.
#include "apps/sampling/sampled_translations.h"

#include "tests/apps/translator/small_translator.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;
using regard::transformer::SamplingOptions;

TEST_CASE("many samples of a sentence are the same as if drawn at once", "[translator]") {
  const SmallTraining training;
  regard::transformer::EncoderDecoder model = training.model();
  model.eval();
  const SamplingOptions options{.seed = 3, .search = {.n_best = 2'100, .max_length = 4}};
  const std::vector<Index> numbers{17};
  regard::transformer::PackedSequences source;
  source.append(std::vector<std::int32_t>{4, 5, 6, special::end});
  const auto at_once = sample_search(model, source, options, numbers).front();
  std::vector<regard::transformer::Hypothesis> some_at_a_time;
  CHECK(searches("sample_search", [&] {
          some_at_a_time = sample_all(model, {{4, 5, 6}}, options, numbers).front();
        }) == 3);
  REQUIRE(some_at_a_time.size() == 2'100);
  std::size_t differences = 0, as_before = 0;
  for (std::size_t i = 0; i < at_once.size(); ++i) {
    differences += some_at_a_time[i].tokens != at_once[i].tokens;
    as_before += i >= 1'024 && some_at_a_time[i].tokens == some_at_a_time[i - 1'024].tokens;
  }
  CHECK(differences <= 1);  // rounding may move a random number over the border between two tokens
  CHECK(as_before < 500);
}

TEST_CASE("a sentence's samples depend on its number, not on its batch", "[translator]") {
  const SmallTraining training;
  regard::transformer::EncoderDecoder model = training.model();
  model.eval();
  const std::vector<std::vector<std::int32_t>> sources = numbered_corpus(60, 20, SmallTraining::words).source;
  const SamplingOptions options{.seed = 3, .search = {.n_best = 2, .max_length = 5}};
  const auto found = sample_all(model, sources, options);
  const auto in_small_batches = sample_all(model, sources, options, {}, 30);
  std::size_t differences = 0;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    REQUIRE(found[i].size() == 2);
    const std::vector<Index> number{to_index(i)}, next{number[0] + 1};
    const auto alone = sample_all(model, {sources[i]}, options, number).front();
    const auto another = sample_all(model, {sources[i]}, options, next).front();
    differences += another[0].tokens != found[i][0].tokens;
    for (std::size_t n = 0; n < 2; ++n) {
      CHECK(found[i][n].tokens == in_small_batches[i][n].tokens);
      CHECK(found[i][n].tokens == alone[n].tokens);
    }
  }
  CHECK(differences > 40);
  CHECK(sample_all(model, {}, {}).empty());
}

TEST_CASE("samples of a text depend on its line numbers", "[translator]") {
  Translator translate = small_translator();
  const SamplingOptions options{.search = {.n_best = 3, .max_length = 6}};
  const auto all = sample(translate, translate.read_all({"w1", "", "w2 w3", "w1 x"}, 7), options);
  REQUIRE(all.size() == 4);
  CHECK(all[1].n_best.size() == 1);
  CHECK(all[1].n_best[0].text.empty());
  CHECK(all[3].source.unknown_words == std::vector<std::string>{"x"});
  const auto third = sample(translate, translate.read_all({"w2 w3"}, 9), options);
  for (std::size_t n = 0; n < 3; ++n) CHECK(third[0].n_best[n].text == all[2].n_best[n].text);
  const auto elsewhere = sample(translate, translate.read_all({"w2 w3"}, 10), options);
  CHECK((elsewhere[0].n_best[0].text != third[0].n_best[0].text ||
         elsewhere[0].n_best[1].text != third[0].n_best[1].text));
}
