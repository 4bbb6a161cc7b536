// Searches that keep to a shortlist, in every precision.
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

TEST_CASE("a shortlist of the whole vocabulary changes nothing, in every precision", "[shortlist]") {
  const Shortlist all = whole_vocabulary();
  for (const Precision precision : list_precisions()) {
    INFO(to_string(precision));
    ListModel model(precision);
    for (const Index beam : {1, 4}) {
      const SearchOptions options{.beam = beam, .n_best = beam, .no_repeat_ngram = 2};
      check_same_hypotheses(search_all(model.whole, list_sources(), options),
                            search_all({model.whole, &all}, list_sources(), options), 0);
    }
  }
}

TEST_CASE("the logits of a shortlist are those of the whole vocabulary", "[shortlist]") {
  const Shortlist list = neighbours();
  const regard::NoGrad no_grad;
  regard::Random random(3);
  const Tensor hidden = Tensor::normal({7, 16}, 0, 1, random);
  for (const Precision precision : list_precisions()) {
    INFO(to_string(precision));
    ListModel model(precision);
    const Ids sentence{5, 9};
    ShortlistedModel listed =
        shortlisted(model.whole, list, regard::transformer::pack_sources({&sentence, 1}));
    const Ids allowed = list.tokens(sentence);
    REQUIRE(listed.model.target_vocabulary() == to_index(allowed.size()));
    CHECK(listed.tokens(listed.places(allowed)) == allowed);
    const Tensor logits = listed.model.generator(hidden), whole = model.whole.generator(hidden);
    for (Index row = 0; row < hidden.size(0); ++row)
      for (Index i = 0; i < to_index(allowed.size()); ++i) {
        const Real expected = whole.at({row, allowed[to_size(i)]});
        if (precision == Precision::int8)
          CHECK(logits.at({row, i}) == expected);
        else
          CHECK(std::abs(logits.at({row, i}) - expected) < 1e-5);
      }
  }
}

TEST_CASE("no token outside of its sentence's list ever comes", "[shortlist]") {
  const Shortlist list = neighbours();
  const Ids prefix{10, 4};
  for (const Precision precision : list_precisions()) {
    INFO(to_string(precision));
    ListModel model(precision);
    Index others = 0;  // a list that another sentence of the batch has would have allowed it
    const auto check = [&](const std::vector<std::vector<Hypothesis>>& found, std::size_t skipped = 0) {
      for (std::size_t i = 0; i < found.size(); ++i)
        for (const Hypothesis& hypothesis : found[i]) {
          const Ids tokens(hypothesis.tokens.begin() +
                               std::min<std::ptrdiff_t>(to_index(skipped), std::ssize(hypothesis.tokens)),
                           hypothesis.tokens.end());
          CHECK(list_allows(list, list_sources()[i], tokens));
          CHECK(hypothesis.log_probability > -1e6);
          others += !list_allows(list, list_sources()[(i + 1) % list_sources().size()], tokens);
        }
    };
    const Searched with{model.whole, &list};
    check(search_all(with, list_sources(), {.beam = 1, .repetition_penalty = 2}));
    const auto with_constraints =
        search_all(with, list_sources(),
                   {.beam = 3, .n_best = 3, .min_length = 3, .no_repeat_ngram = 2, .generate_unk = false});
    check(with_constraints);
    for (const auto& of_sentence : with_constraints)
      for (const Hypothesis& hypothesis : of_sentence) {
        CHECK(hypothesis.tokens.size() >= 3);
        CHECK(std::ranges::count(hypothesis.tokens, special::unknown) == 0);
        std::set<std::pair<std::int32_t, std::int32_t>> pairs;
        for (std::size_t i = 1; i < hypothesis.tokens.size(); ++i)
          CHECK(pairs.emplace(hypothesis.tokens[i - 1], hypothesis.tokens[i]).second);
      }
    const auto begun = search_all(with, list_sources(), {.beam = 2}, 40, one_process(), prefix);
    for (const auto& of_sentence : begun)
      CHECK(Ids(of_sentence.front().tokens.begin(), of_sentence.front().tokens.begin() + 2) == prefix);
    CHECK(others > 0);
    // Without the list, such tokens come.
    Index outside = 0;
    for (const auto& of_sentence : search_all(model.whole, list_sources(), {.beam = 1}))
      outside += !list_allows(list, list_sources()[to_size(&of_sentence - &of_sentence)],
                              of_sentence.front().tokens);
    CHECK(outside > 0);
  }
  ListModel model;
  CHECK_ERROR(check_beam("beam", 6, Searched{model.whole, &list}),
              "beam is 6, but the shortlist of a sentence may have only 5 tokens; give a beam of at most 5");
  check_beam("beam", 5, Searched{model.whole, &list});
}
