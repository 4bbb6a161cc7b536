// Exact search against trying everything, and against beam search.
#include "apps/exact_search/exact_search.h"

#include <algorithm>

#include "autograd/machine/error.h"
#include "tests/apps/exact_search/double/support.h"
#include "tests/transformer/search/bigram_model.h"
#include "tests/transformer/search/one_pair.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("exact search finds the most probable of all translations") {
  std::size_t beam_was_wrong = 0;
  Index expansions = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EncoderDecoder model = opinionated_model(vocabulary_size, seed, 0.5);
    const std::vector<Ids> sources = random_sentences({3, 1, 5}, vocabulary_size, seed + 100);
    const auto found = exact_search(model, pack_sources(sources), {.search = up_to_most_tokens()});
    const auto by_beam = beam_search(model, pack_sources(sources), up_to_most_tokens(1));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const Scored expected = best_of(model, sources[i], everything(most_tokens, vocabulary_size));
      check_best(found[i], expected);
      CHECK(found[i].best.log_probability > by_beam[i].front().log_probability - 1e-10);
      beam_was_wrong += by_beam[i].front().tokens != expected.tokens ? 1 : 0;
      expansions += found[i].expansions;
      // A wider beam gives a better bound and the same result.
      const auto again =
          exact_search(model, pack_sources({sources[i]}), {.search = up_to_most_tokens(5)}).front();
      check_best(again, expected);
    }
  }
  CHECK(beam_was_wrong > 5);                         // or the test would show nothing
  CHECK(expansions < 60 * (1 + 4 + 16 + 64 + 256));  // the bound excludes some
}

TEST_CASE("exact search obeys the constraints") {
  const auto none_of = [](std::int32_t token) {
    return [token](const Ids& ids) { return std::ranges::find(ids, token) != ids.end(); };
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EncoderDecoder model = opinionated_model(vocabulary_size, seed, 0.5);
    SearchOptions options = up_to_most_tokens();
    options.min_length = 2;
    std::vector<Ids> translations = everything(most_tokens, vocabulary_size);
    std::erase_if(translations, [](const Ids& ids) { return ids.size() < 2; });
    check_best(exact_search(model, pack_sources({{4, 5}}), {.search = options}).front(),
               best_of(model, {4, 5}, translations));

    options.generate_unk = false;
    std::erase_if(translations, none_of(unknown_id));
    check_best(exact_search(model, pack_sources({{4, 5}}), {.search = options}).front(),
               best_of(model, {4, 5}, translations));

    options.no_repeat_ngram = 1;
    std::erase_if(translations, [](Ids ids) {
      std::ranges::sort(ids);
      return std::ranges::adjacent_find(ids) != ids.end();
    });
    check_best(exact_search(model, pack_sources({{4, 5}}), {.search = options}).front(),
               best_of(model, {4, 5}, translations));
  }
}

TEST_CASE("an exact search that reaches its limit says so, and is no worse than its beam") {
  std::size_t incomplete = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EncoderDecoder model = opinionated_model(vocabulary_size, seed, 0.5);
    const PackedSequences source = pack_sources({{4, 5}});
    const double of_beam = beam_search(model, source, up_to_most_tokens()).front().front().log_probability;
    const transformer::ExactResult whole =
        exact_search(model, source, {.search = up_to_most_tokens()}).front();
    for (const Index most : {Index{0}, Index{1}, Index{10}, whole.expansions - 1, whole.expansions}) {
      const transformer::ExactResult found =
          exact_search(model, source, {.search = up_to_most_tokens(), .most_expansions = most}).front();
      CHECK(found.expansions <= most);
      CHECK(found.best.log_probability >= of_beam);
      CHECK(found.best.log_probability <= whole.best.log_probability);
      incomplete += found.complete ? 0 : 1;
      if (most == whole.expansions) CHECK(found.complete);
      if (most == 0) CHECK_FALSE(found.complete);
    }
  }
  CHECK(incomplete >= 20);
}

TEST_CASE("exact search of no sentence, and wrong options") {
  EncoderDecoder model = opinionated_model(vocabulary_size, 1);
  CHECK(exact_search(model, {}).empty());
  CHECK_ERROR(exact_search(model, pack_sources({{4}}), {.most_expansions = -1}),
              "search: most_expansions is -1; it must be from 0 to");
  CHECK_ERROR(exact_search(model, pack_sources({{4}}), {.search = {.beam = 0}}), "beam is 0");
  PackedSequences source;
  source.append(Ids{0, 1});
  EncoderDecoder without_end = opinionated_model(2, 8);
  CHECK_ERROR(exact_search(without_end, source), "the target vocabulary has 2 entries");
}

TEST_CASE("exact search finds the empty translation, which beams lose (Stahlberg and Byrne 2019)") {
  constexpr std::int32_t s = sentence_begin_id, end = sentence_end_id, a = 4, b = 5, c = 6;
  // Nothing: 0.2. Of the others, the best has 0.4 * 0.3 = 0.12. A beam of two takes a and b in the first
  // step, and no beam of one ever has it.
  const Bigrams bigrams{{s, {{end, 0.2}, {a, 0.4}, {b, 0.4}}},
                        {a, {{end, 0.3}, {a, 0.4}, {c, 0.3}}},
                        {b, {{end, 0.2}, {b, 0.5}, {c, 0.3}}},
                        {c, {{end, 0.9}, {c, 0.1}}}};
  EncoderDecoder model = bigram_model(bigrams);
  const auto check = [](const transformer::ExactResult& found) {
    CHECK(found.complete);
    CHECK(found.best.tokens.empty());
    CHECK(found.best.log_probability == Approx(std::log(0.2)).epsilon(1e-6));
    CHECK(found.best.score == found.best.log_probability);
  };
  for (const Index width : {1, 2}) {
    const SearchOptions options{.beam = width, .alpha = 0};
    CHECK(beam_search(model, pack_sources({{4}}), options).front().front().log_probability < std::log(0.15));
    check(exact_search(model, pack_sources({{4}}), {.search = options}).front());
  }
  // A length penalty does not change the result.
  check(exact_search(model, pack_sources({{4}}), {.search = {.beam = 2, .alpha = 1}}).front());
}

TEST_CASE("exact search follows a rule") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    EncoderDecoder model = opinionated_model(rule_vocabulary, seed, 2);
    const auto found = exact_search(model, pack_sources({pair_sources[0]}), {.search = with_rule(1)}).front();
    check_best(found, pair_ranking(model, pair_sources[0], {.alpha = 0}).front());
  }
}

TEST_CASE("an exact search takes no token that never comes when all others are forbidden") {
  EncoderDecoder model = one_word_model();
  for (const auto& result : exact_search(model, pack_sources(pair_sources), {.search = one_word_options()}))
    check_one_word(result.best);
}
