// Terms that translations must have: the best translation with them is found, in narrow beams, too.
#include "transformer/terms/required_terms.h"

#include <algorithm>
#include <set>

#include "tests/transformer/search/search_support.h"

using namespace regard;
using namespace regard::tests;
using transformer::RequiredTerm;
using transformer::RequiredTerms;
using transformer::SearchOptions;
using transformer::WordEdges;

namespace {

constexpr Index term_vocabulary = 7;
constexpr std::size_t longest = 6;

RequiredTerm term(std::vector<Ids> forms) {
  RequiredTerm result;
  for (Ids& ids : forms) result.forms.push_back({.ids = std::move(ids)});
  return result;
}

/// All tokens are whole words.
std::shared_ptr<const WordEdges> words() { return std::make_shared<WordEdges>(); }

SearchOptions options_of(std::vector<RequiredTerm> terms, Index beam) {
  SearchOptions options{.beam = beam, .n_best = beam, .alpha = 0, .patience = 0, .max_length_ratio = 0};
  options.max_length_constant = to_index(longest);
  const auto rule = std::make_shared<RequiredTerms>(std::move(terms), words());
  options.make_rule = [rule](std::span<const std::int32_t>) { return rule; };
  return options;
}

bool has(const Ids& tokens, const Ids& part) {
  return std::search(tokens.begin(), tokens.end(), part.begin(), part.end()) != tokens.end();
}

/// The best of all translations in which `allowed` is true, by the whole model.
template <class Allowed>
Scored best_of_all(EncoderDecoder& model, const Ids& source, const Allowed& allowed) {
  std::vector<Ids> all = everything(longest, term_vocabulary);
  std::erase_if(all, [&](const Ids& tokens) { return !allowed(tokens); });
  const Numbers scores = forced_log_probabilities(model, source, all);
  const auto best = std::ranges::max_element(scores) - scores.begin();
  return {all[to_size(best)], scores[to_size(best)]};
}

/// The same terms without banks: what is missing only comes in place of </s>.
class WithoutBanks : public RequiredTerms {
 public:
  using RequiredTerms::RequiredTerms;
  Index banks() const override { return 1; }
};

}  // namespace

TEST_CASE("a beam wide enough finds the best of all translations that have the terms") {
  // Two terms, of which one has two forms and begins as the other.
  const std::vector<RequiredTerm> terms{term({{4, 5}, {6}}), term({{4, 3}})};
  const auto allowed = [](const Ids& tokens) {
    return (has(tokens, {4, 5}) || has(tokens, {6})) && has(tokens, {4, 3});
  };
  const Ids source{4, 3, 5};
  Index without = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    CAPTURE(seed);
    EncoderDecoder model = opinionated_model(term_vocabulary, seed, 2);
    model.generator.bias = Tensor::zeros({term_vocabulary});
    model.generator.bias.data()[sentence_end_id] = 12;  // short: far from the greatest length
    SearchOptions options = options_of(terms, 3000);
    options.n_best = 20;
    options.max_length_constant = 2 * to_index(longest);
    const auto found = beam_search(model, pack_sources({source}), options).front();
    const Scored expected = best_of_all(model, source, allowed);
    CHECK(expected.tokens.size() < longest - 1);
    CHECK(found.front().tokens == expected.tokens);
    CHECK(found.front().score == Approx(expected.score).epsilon(1e-10));
    for (const auto& hypothesis : found) CHECK(allowed(hypothesis.tokens));
    options.make_rule = {};
    without += !allowed(beam_search(model, pack_sources({source}), options).front().front().tokens);
  }
  CHECK(without == 5);
}

TEST_CASE("narrow beams have the terms, and banks find better places for them") {
  const std::vector<RequiredTerm> terms{term({{6, 4}}), term({{5}})};
  const Ids source{4, 3, 5};
  double with_banks = 0, at_the_end = 0, best = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EncoderDecoder model = opinionated_model(term_vocabulary, seed, 2);
    const auto score = [&](const SearchOptions& options) {
      const auto found = beam_search(model, pack_sources({source}), options).front();
      for (const auto& hypothesis : found) {
        CAPTURE(seed, hypothesis.tokens);
        CHECK(has(hypothesis.tokens, {6, 4}));
        CHECK(has(hypothesis.tokens, {5}));
      }
      return found.front().score;
    };
    SearchOptions options = options_of(terms, 4);
    with_banks += score(options);
    for (const Index beam : {1, 2}) score(options_of(terms, beam));
    const auto rule = std::make_shared<WithoutBanks>(terms, words());
    options.make_rule = [rule](std::span<const std::int32_t>) { return rule; };
    at_the_end += score(options);
    best += best_of_all(model, source, [](const Ids& tokens) {
              return has(tokens, {6, 4}) && has(tokens, {5});
            }).score;
  }
  CAPTURE(with_banks, at_the_end, best);
  CHECK(best - with_banks < 0.8 * (best - at_the_end));
}

TEST_CASE("a recorded search with terms is the same search") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    EncoderDecoder model = opinionated_model(term_vocabulary, seed, 2);
    SearchOptions options = options_of({term({{6, 4}}), term({{5}})}, 4);
    options.n_best = 1;
    options.patience = 1;
    std::vector<SearchTree> trees;
    const Ids ids{4, 3, 5};
    const Source source = pack_sources({ids});
    const auto found = beam_search(model, source, options).front();
    const auto recorded = beam_search(model, source, options, {}, &trees).front();
    CHECK(found.front().tokens == recorded.front().tokens);
    CHECK(found.front().score == recorded.front().score);
    std::set<Index> alive{-1};
    for (const auto& step : trees.front())
      for (const SearchNode& node : step) {
        CHECK(alive.contains(node.parent));
        if (node.state == SearchNode::State::alive) alive.insert(node.id);
      }
  }
}

TEST_CASE("a hypothesis is in the bank of the terms that it has, or is writing") {
  const RequiredTerms terms({term({{4, 5, 6}}), term({{4, 3}, {8}}), term({{7}})}, words());
  CHECK(terms.banks() == 4);
  CHECK(terms.bank({}, 3) == 0);
  CHECK(terms.bank({}, 4) == 1);
  CHECK(terms.bank(Ids{4}, 4) == 1);
  CHECK(terms.bank(Ids{4}, 7) == 1);  // another one
  CHECK(terms.bank(Ids{4, 5}, 3) == 0);
  CHECK(terms.bank(Ids{4, 5, 6, 3}, 4) == 2);
  CHECK(terms.bank(Ids{8}, 4) == 2);
  CHECK(terms.bank(Ids{8, 4}, 3) == 1);  // again
  CHECK(terms.bank(Ids{7, 4, 5, 6, 4}, 3) == 3);
  CHECK(terms.bank(Ids{7, 8}, sentence_end_id) == 2);
  CHECK(terms.wanted({}) == Ids{4, 7, 8});
  CHECK(terms.wanted(Ids{3, 4}) == Ids{3, 5});
  CHECK(terms.wanted(Ids{4, 3, 4}) == Ids{5});
  CHECK(terms.wanted(Ids{4, 3, 7}) == Ids{4});
  CHECK(terms.before_end(Ids{3}) == Ids{4, 5, 6, 4, 3, 7});
  CHECK(terms.before_end(Ids{8, 4, 5}) == Ids{6, 7});
  CHECK(terms.before_end(Ids{7, 4, 3, 4, 5, 6}).empty());
  CHECK(terms.demands() == Ids{4, 5, 6, 4, 3, 8, 7});
}

TEST_CASE("a term is a whole word, a stem goes on, and some forms stand at the beginning") {
  WordEdges edges{std::vector<bool>(9), std::vector<bool>(9)};
  edges.continues[8] = true;  // as "er" in "▁Hund er"
  edges.goes_on[7] = true;    // as "Hunde@@"
  const auto shared = std::make_shared<const WordEdges>(edges);
  const RequiredTerms whole({term({{4, 5}})}, shared);
  CHECK(whole.bank(Ids{4}, 5) == 1);
  CHECK(whole.bank(Ids{4, 5}, 3) == 1);
  CHECK(whole.bank(Ids{4, 5}, 8) == 0);
  CHECK(whole.bank(Ids{7, 4}, 5) == 0);
  CHECK(whole.before_end(Ids{4, 5, 8}) == Ids{4, 5});
  RequiredTerm stem = term({{4, 5}});
  stem.forms[0].stem = true;
  CHECK(RequiredTerms({stem}, shared).bank(Ids{4, 5}, 8) == 1);
  RequiredTerm beginning = term({{4}, {5}});
  beginning.forms[1].at_beginning = true;
  const RequiredTerms both({beginning}, shared);
  CHECK(both.bank({}, 5) == 1);
  CHECK(both.bank(Ids{3}, 5) == 0);
  CHECK(both.wanted({}) == Ids{4, 5});
  CHECK(both.wanted(Ids{3}) == Ids{4});
}
