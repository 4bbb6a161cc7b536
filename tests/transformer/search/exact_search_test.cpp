// Exact search against trying everything, and against beam search.
#include "transformer/search/exact_search.h"

#include <algorithm>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/transformer/search/exact_search_support.h"

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
