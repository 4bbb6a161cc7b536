// Searches with a shortlist beside others, with constraints, a prefix and a rule of the caller.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "apps/shortlist/shortlisted_model.h"
#include "apps/translation/translator/evaluation.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/graph.h"
#include "autograd/machine/parallel.h"
#include "nn/layers.h"
#include "tests/apps/shortlist/list_model.h"
#include "tests/apps/training/small_training.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::Precision;
using regard::Real;
using regard::Tensor;
using regard::to_index;
using regard::to_size;
using regard::transformer::EncoderDecoder;
using regard::transformer::Hypothesis;
using regard::transformer::SearchOptions;

namespace {
using Ids = std::vector<std::int32_t>;
}  // namespace

TEST_CASE("with a shortlist, a sentence gives the same as alone, on any number of threads", "[shortlist]") {
  const Shortlist list = neighbours();
  for (const Precision precision : list_precisions()) {
    INFO(to_string(precision));
    ListModel model(precision);
    const Searched with{model.whole, &list};
    const SearchOptions options{.beam = 3, .n_best = 2};
    // Products of another shape round their sums differently. Where few bits are left of a number, this may
    // move it to its neighbour.
    const double tolerance = precision == Precision::float32 ? 1e-4 : 1e-2;
    const auto together = search_all(with, list_sources(), options);
    for (std::size_t i = 0; i < list_sources().size(); i += 5)
      check_same_hypotheses({together[i]}, search_all(with, {list_sources()[i]}, options), tolerance);
    const int before = regard::threads();
    regard::set_threads(before == 1 ? 3 : 1);
    check_same_hypotheses(together, search_all(with, list_sources(), options), 0);
    regard::set_threads(before);
  }
}

TEST_CASE("when constraints forbid a sentence's whole list, no neighbour's tokens come", "[shortlist]") {
  const Shortlist list = neighbours();
  ListModel model;
  const Searched with{model.whole, &list};
  const SearchOptions options = exhausting_options();
  SearchOptions greedy = options;
  greedy.beam = greedy.n_best = 1;
  for (const SearchOptions& each : {options, greedy})
    check_exhausted_lists(list, [&](const std::vector<Ids>& some, const std::vector<Index>&) {
      return search_all(with, some, each);
    });
}

TEST_CASE("the tokens of a prefix come although the list lacks them, with their probability", "[shortlist]") {
  const Shortlist list = neighbours();
  const Ids prefix{10, 7}, source{4, 5};
  REQUIRE_FALSE(list_allows(list, source, prefix));
  ListModel model;
  const SearchOptions options{.beam = 2};
  const auto alone = search_all({model.whole, &list}, {source}, options, 40, one_process(), prefix);
  const auto together =
      search_all({model.whole, &list}, {source, {9, 6}, {6, 9}}, options, 40, one_process(), prefix);
  check_same_hypotheses(alone, {together.front()}, 1e-4);
  const Hypothesis& found = alone.front().front();
  CHECK(Ids(found.tokens.begin(), found.tokens.begin() + 2) == prefix);
  CHECK(found.log_probability > -1e6);
}

TEST_CASE("a rule of the caller speaks of tokens, also with a list", "[shortlist]") {
  // 7 must not come, and 11, which the lists lack, has to come.
  class Rule : public regard::transformer::TokenRule {
   public:
    bool allows(std::span<const std::int32_t> tokens, std::int32_t next) const override {
      return next != 7 && (tokens.empty() || tokens.back() != 11);
    }
    Ids before_end(std::span<const std::int32_t> tokens) const override {
      return std::ranges::count(tokens, 11) > 0 ? Ids{} : Ids{11};
    }
    Ids demands() const override { return {11}; }
  };
  const Shortlist list = neighbours();
  ListModel model;
  std::vector<Ids> some;
  for (const Ids& source : list_sources())
    if (!list_allows(list, source, {11})) some.push_back(source);
  REQUIRE(some.size() > 10);
  SearchOptions options{.beam = 3, .n_best = 3, .max_length_ratio = 0, .max_length_constant = 8};
  const auto count = [&](const auto& found) {
    std::pair<Index, Index> result;
    for (const auto& of_sentence : found)
      for (const Hypothesis& hypothesis : of_sentence) {
        result.first += std::ranges::count(hypothesis.tokens, 7);
        result.second += std::ranges::count(hypothesis.tokens, 11) == 1;
        CHECK(hypothesis.log_probability > -1e6);
      }
    return result;
  };
  const auto free = count(search_all({model.whole, &list}, some, options));
  CHECK(free.first > 0);
  CHECK(free.second == 0);
  options.make_rule = [](auto) { return std::make_shared<Rule>(); };
  for (const auto& source : some)
    CHECK(count(search_all({model.whole, &list}, {source}, options)) == std::pair<Index, Index>(0, 3));
  CHECK(count(search_all({model.whole, &list}, some, options)) ==
        std::pair<Index, Index>(0, 3 * to_index(some.size())));
}
