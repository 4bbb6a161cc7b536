// Searches that keep to a shortlist, in every precision.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "apps/translation/shortlist/shortlisted_model.h"
#include "apps/translation/translator/evaluation.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/graph.h"
#include "autograd/low_precision/precision.h"
#include "autograd/machine/parallel.h"
#include "nn/layers.h"
#include "nn/low_precision/quantise.h"
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
constexpr Index list_vocabulary = 4 + SmallTraining::words;

/// An untrained model without tied matrices, with a bias of the projection that is not 0.
struct Model {
  explicit Model(Precision precision = Precision::float32) : whole(make()) {
    regard::Random random(5);
    whole.generator.bias = Tensor::normal({list_vocabulary}, 0, 1, random);
    rows.emplace(whole.generator.weight);
    regard::nn::set_precision(both, precision);
    whole.eval();
  }
  static EncoderDecoder make() {
    SmallTraining training;
    training.settings.model.config.shared_embeddings = regard::transformer::SharedEmbeddings::none;
    return training.model();
  }
  struct Both : regard::nn::Module {
    explicit Both(Model& of) : model(of) {}
    void visit(regard::nn::Visitor& visitor) override {
      visitor("model", model.whole);
      visitor("rows", *model.rows);
    }
    Model& model;
  };
  EncoderDecoder whole;
  std::optional<regard::nn::Embedding> rows;
  Both both{*this};
};

Shortlist whole_vocabulary() {
  Ids all;
  for (std::int32_t token = 0; token < list_vocabulary; ++token) all.push_back(token);
  return {all, std::vector<Ids>(to_size(list_vocabulary))};
}

/// Token i of the source brings i and i + 1; token 4 may always come.
Shortlist neighbours() {
  std::vector<Ids> of_source(to_size(list_vocabulary));
  for (std::int32_t token = 4; token < list_vocabulary; ++token)
    of_source[to_size(token)] = {token, token + 1 < list_vocabulary ? token + 1 : token};
  return {{4}, of_source};
}

bool allows(const Shortlist& list, const Ids& source, const Ids& tokens) {
  const Ids allowed = list.tokens(source);
  return std::ranges::all_of(tokens,
                             [&](std::int32_t token) { return std::ranges::binary_search(allowed, token); });
}

std::vector<Precision> precisions() {
  std::vector<Precision> all{Precision::float32};
  for (const Precision precision : {Precision::bfloat16, Precision::int8})
    if (regard::missing_for(precision).empty()) all.push_back(precision);
  return all;
}

const std::vector<Ids>& sources() {
  static const std::vector<Ids> some = numbered_corpus(60, 6, SmallTraining::words, 7).source;
  return some;
}

void check_same(const std::vector<std::vector<Hypothesis>>& a, const std::vector<std::vector<Hypothesis>>& b,
                double tolerance) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].size() == b[i].size());
    for (std::size_t n = 0; n < a[i].size(); ++n) {
      CHECK(a[i][n].tokens == b[i][n].tokens);
      CHECK(std::abs(a[i][n].log_probability - b[i][n].log_probability) <= tolerance);
    }
  }
}

}  // namespace

TEST_CASE("a shortlist of the whole vocabulary changes nothing, in every precision", "[shortlist]") {
  const Shortlist all = whole_vocabulary();
  for (const Precision precision : precisions()) {
    INFO(to_string(precision));
    Model model(precision);
    for (const Index beam : {1, 4}) {
      const SearchOptions options{.beam = beam, .n_best = beam, .no_repeat_ngram = 2};
      check_same(search_all(model.whole, sources(), options),
                 search_all({model.whole, &all}, sources(), options), 0);
    }
    const regard::transformer::SamplingOptions sampling{.search = {.n_best = 3}};
    check_same(sample_all(model.whole, sources(), sampling),
               sample_all({model.whole, &all}, sources(), sampling), 0);
  }
}

TEST_CASE("the logits of a shortlist are those of the whole vocabulary", "[shortlist]") {
  const Shortlist list = neighbours();
  const regard::NoGrad no_grad;
  regard::Random random(3);
  const Tensor hidden = Tensor::normal({7, 16}, 0, 1, random);
  for (const Precision precision : precisions()) {
    INFO(to_string(precision));
    Model model(precision);
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
  for (const Precision precision : precisions()) {
    INFO(to_string(precision));
    Model model(precision);
    Index others = 0;  // a list that another sentence of the batch has would have allowed it
    const auto check = [&](const std::vector<std::vector<Hypothesis>>& found, std::size_t skipped = 0) {
      for (std::size_t i = 0; i < found.size(); ++i)
        for (const Hypothesis& hypothesis : found[i]) {
          const Ids tokens(hypothesis.tokens.begin() +
                               std::min<std::ptrdiff_t>(to_index(skipped), std::ssize(hypothesis.tokens)),
                           hypothesis.tokens.end());
          CHECK(allows(list, sources()[i], tokens));
          CHECK(hypothesis.log_probability > -1e6);
          others += !allows(list, sources()[(i + 1) % sources().size()], tokens);
        }
    };
    const Searched with{model.whole, &list};
    check(search_all(with, sources(), {.beam = 1, .repetition_penalty = 2}));
    const auto with_constraints =
        search_all(with, sources(),
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
    check(sample_all(with, sources(), {.temperature = 2, .search = {.n_best = 5}}));
    const auto begun = search_all(with, sources(), {.beam = 2}, 40, one_process(), prefix);
    for (const auto& of_sentence : begun)
      CHECK(Ids(of_sentence.front().tokens.begin(), of_sentence.front().tokens.begin() + 2) == prefix);
    CHECK(others > 0);
    // Without the list, such tokens come.
    Index outside = 0;
    for (const auto& of_sentence : search_all(model.whole, sources(), {.beam = 1}))
      outside += !allows(list, sources()[to_size(&of_sentence - &of_sentence)], of_sentence.front().tokens);
    CHECK(outside > 0);
  }
  Model model;
  CHECK_ERROR(check_beam("beam", 6, Searched{model.whole, &list}),
              "beam is 6, but the shortlist of a sentence may have only 5 tokens; give a beam of at most 5");
  check_beam("beam", 5, Searched{model.whole, &list});
}

TEST_CASE("an exact search finds the best sequence of the list's tokens", "[shortlist]") {
  const Shortlist list = neighbours();
  const regard::NoGrad no_grad;
  constexpr Index longest = 3;
  Model model;
  for (const Ids& source : {Ids{5, 9}, Ids{11}, Ids{4, 4, 7}}) {
    const Ids allowed = list.tokens(source);
    // log p of all sequences, each with the model's logits of the allowed tokens alone.
    const auto log_probability = [&](const Ids& tokens) {
      const std::vector<Ids> one_source{source}, one_target{tokens};
      const regard::transformer::Batch batch = regard::transformer::make_batch(one_source, one_target);
      const Tensor logits = model.whole.logits(batch);
      double sum = 0;
      for (std::size_t row = 0; row < batch.target_output.size(); ++row) {
        double normaliser = 0;
        for (const std::int32_t token : allowed)
          normaliser += std::exp(double{logits.at({to_index(row), token})});
        sum += double{logits.at({to_index(row), batch.target_output[row]})} - std::log(normaliser);
      }
      return sum;
    };
    double best = -std::numeric_limits<double>::infinity();
    Ids best_tokens;
    std::vector<Ids> sequences{{}};
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const Ids tokens = sequences[i];
      if (const double found = log_probability(tokens); found > best) best = found, best_tokens = tokens;
      if (to_index(tokens.size()) < longest)
        for (const std::int32_t token : allowed)
          if (token >= special::unknown) {
            sequences.push_back(tokens);
            sequences.back().push_back(token);
          }
    }
    const SearchOptions options{.beam = 5, .alpha = 0, .patience = 0, .max_length = longest};
    const auto exact = exact_all({model.whole, &list}, {source}, {.search = options}).front();
    CHECK(exact.complete);
    CHECK(exact.best.tokens == best_tokens);
    CHECK(std::abs(exact.best.log_probability - best) < 1e-4);
    // The whole vocabulary gives these tokens a smaller probability.
    ParallelCorpus pair;
    pair.source = {source};
    pair.target = {best_tokens};
    const auto whole = score_all(model.whole, pair).front();
    CHECK(whole.log_probability < best - 0.01);
  }
}

TEST_CASE("with a shortlist, a sentence gives the same as alone, on any number of threads", "[shortlist]") {
  const Shortlist list = neighbours();
  for (const Precision precision : precisions()) {
    INFO(to_string(precision));
    Model model(precision);
    const Searched with{model.whole, &list};
    const SearchOptions options{.beam = 3, .n_best = 2};
    // Products of another shape round their sums differently. Where few bits are left of a number, this may
    // move it to its neighbour.
    const double tolerance = precision == Precision::float32 ? 1e-4 : 1e-2;
    const auto together = search_all(with, sources(), options);
    for (std::size_t i = 0; i < sources().size(); i += 5)
      check_same({together[i]}, search_all(with, {sources()[i]}, options), tolerance);
    const int before = regard::threads();
    regard::set_threads(before == 1 ? 3 : 1);
    check_same(together, search_all(with, sources(), options), 0);
    regard::set_threads(before);
  }
}

TEST_CASE("when constraints forbid a sentence's whole list, no neighbour's tokens come", "[shortlist]") {
  const Shortlist list = neighbours();
  Model model;
  const Searched with{model.whole, &list};
  const SearchOptions options{
      .beam = 4, .n_best = 2, .min_length = 20, .no_repeat_ngram = 1, .generate_unk = false};
  SearchOptions greedy = options;
  greedy.beam = greedy.n_best = 1;
  // Each token comes once, and then there is nothing left but </s>, long before min_length.
  const auto check = [&](const auto& search) {
    const auto together = search(sources(), std::vector<Index>{});
    for (std::size_t i = 0; i < sources().size(); i += 3) {
      check_same({together[i]}, search({sources()[i]}, {to_index(i)}), 1e-4);
      for (const Hypothesis& hypothesis : together[i]) {
        CHECK(allows(list, sources()[i], hypothesis.tokens));
        CHECK(hypothesis.log_probability > -1e6);
        CHECK(hypothesis.tokens.size() == list.tokens(sources()[i]).size() - special::count);
      }
    }
  };
  for (const SearchOptions& each : {options, greedy})
    check([&](const std::vector<Ids>& some, const std::vector<Index>&) {
      return search_all(with, some, each);
    });
  for (const double temperature : {0.0, 1.0})
    check([&](const std::vector<Ids>& some, const std::vector<Index>& numbers) {
      return sample_all(with, some, {.temperature = temperature, .search = options}, numbers);
    });
}

TEST_CASE("the tokens of a prefix come although the list lacks them, with their probability", "[shortlist]") {
  const Shortlist list = neighbours();
  const Ids prefix{10, 7}, source{4, 5};
  REQUIRE_FALSE(allows(list, source, prefix));
  Model model;
  const SearchOptions options{.beam = 2};
  const auto alone = search_all({model.whole, &list}, {source}, options, 40, one_process(), prefix);
  const auto together =
      search_all({model.whole, &list}, {source, {9, 6}, {6, 9}}, options, 40, one_process(), prefix);
  check_same(alone, {together.front()}, 1e-4);
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
  Model model;
  std::vector<Ids> some;
  for (const Ids& source : sources())
    if (!allows(list, source, {11})) some.push_back(source);
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
