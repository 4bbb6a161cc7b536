// Samples of many sentences with a shortlist.
#include "apps/sampling/sampled_translations.h"
#include "tests/apps/shortlist/list_model.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Precision;
using regard::transformer::SamplingOptions;

namespace {
using Ids = std::vector<std::int32_t>;
}  // namespace

TEST_CASE("a shortlist of the whole vocabulary changes no sample, in every precision", "[shortlist]") {
  const Shortlist all = whole_vocabulary();
  for (const Precision precision : list_precisions()) {
    INFO(to_string(precision));
    ListModel model(precision);
    const SamplingOptions sampling{.search = {.n_best = 3}};
    check_same_hypotheses(sample_all(model.whole, list_sources(), sampling),
                          sample_all({model.whole, &all}, list_sources(), sampling), 0);
  }
}

TEST_CASE("no sample has a token outside of its sentence's list", "[shortlist]") {
  const Shortlist list = neighbours();
  for (const Precision precision : list_precisions()) {
    INFO(to_string(precision));
    ListModel model(precision);
    const SamplingOptions sampling{.temperature = 2, .search = {.n_best = 5}};
    const auto found = sample_all({model.whole, &list}, list_sources(), sampling);
    Index others = 0;  // a list that another sentence of the batch has would have allowed it
    for (std::size_t i = 0; i < found.size(); ++i)
      for (const Hypothesis& hypothesis : found[i]) {
        CHECK(list_allows(list, list_sources()[i], hypothesis.tokens));
        CHECK(hypothesis.log_probability > -1e6);
        others += !list_allows(list, list_sources()[(i + 1) % list_sources().size()], hypothesis.tokens);
      }
    CHECK(others > 0);
  }
}

TEST_CASE("when constraints forbid a sentence's whole list, no sample has a neighbour's tokens",
          "[shortlist]") {
  const Shortlist list = neighbours();
  ListModel model;
  for (const double temperature : {0.0, 1.0})
    check_exhausted_lists(list, [&](const std::vector<Ids>& some, const std::vector<Index>& numbers) {
      const SamplingOptions options{.temperature = temperature, .search = exhausting_options()};
      return sample_all({model.whole, &list}, some, options, numbers);
    });
}
