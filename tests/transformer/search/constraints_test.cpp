// A search that sees everything against brute force. Constraints of a search: what may not come does not, and
// among all that may, the best is found.
#include <algorithm>
#include <set>

#include "autograd/machine/error.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"
#include "transformer/search/step_loop.h"

using namespace regard;
using namespace regard::tests;

namespace {

/// Whether some n tokens in a row come twice.
bool repeats(const Ids& tokens, Index n) {
  std::set<Ids> seen;
  for (auto i = tokens.begin(); tokens.end() - i >= n; ++i)
    if (!seen.insert(Ids(i, i + n)).second) return true;
  return false;
}

bool allowed(const Ids& tokens, const SearchOptions& options) {
  const auto length = to_index(tokens.size());
  return length >= options.min_length && (options.max_length == 0 || length <= options.max_length) &&
         (options.no_repeat_ngram == 0 || !repeats(tokens, options.no_repeat_ngram)) &&
         (options.generate_unk || std::ranges::count(tokens, unknown_id) == 0);
}

/// The log-softmax of logits after `before`, where repetition is penalised.
Numbers penalised(Numbers logits, const Ids& before, double penalty) {
  for (std::size_t id = 0; id < logits.size(); ++id)
    if (std::ranges::find(before, static_cast<std::int32_t>(id)) != before.end())
      logits[id] = logits[id] > 0 ? logits[id] / penalty : logits[id] * penalty;
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit);
  for (double& logit : logits) logit -= std::log(sum);
  return logits;
}

/// Every translation that is allowed, best first.
std::vector<Scored> ranking(EncoderDecoder& model, const Ids& source, std::size_t longest,
                            const SearchOptions& options) {
  const NoGrad no_grad;
  std::vector<Ids> translations;
  for (const Ids& translation : everything(longest, model.target_vocabulary()))
    if (allowed(translation, options)) translations.push_back(translation);
  const Tensor logits = model.logits(make_batch(std::vector<Ids>(translations.size(), source), translations));
  std::vector<Scored> result;
  Index row = 0;
  for (const Ids& translation : translations) {
    double sum = 0;
    const Ids whole = enclosed({}, translation, {sentence_end_id});
    for (std::size_t i = 0; i < whole.size(); ++i, ++row)
      sum += penalised(numbers(rows(logits, row, row + 1)),
                       Ids(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(i)),
                       options.repetition_penalty)[to_size(whole[i])];
    result.push_back({translation, sum / penalty(options, translation.size())});
  }
  std::ranges::sort(result, std::greater<>(), &Scored::score);
  return result;
}

/// Options of a search that sees everything of up to four tokens.
SearchOptions exhaustive(SearchOptions options) {
  options.beam = options.n_best = 400;
  options.max_length_ratio = 0;
  options.max_length_constant = 4;
  return options;
}

const std::vector<SearchOptions> constraints = {
    {.min_length = 2},
    {.min_length = 4},
    {.max_length = 1},
    {.max_length = 3},
    {.min_length = 3, .max_length = 3},
    {.no_repeat_ngram = 1},
    {.no_repeat_ngram = 2},
    {.repetition_penalty = 1.5},
    {.repetition_penalty = 0.5},
    {.min_length = 1, .max_length = 3, .no_repeat_ngram = 1, .repetition_penalty = 2},
    {.alpha = -0.5, .min_length = 2, .no_repeat_ngram = 2},
    {.generate_unk = false},
    {.min_length = 2, .no_repeat_ngram = 2, .generate_unk = false},
};

std::vector<SearchOptions> without_constraints() {
  std::vector<SearchOptions> result;
  for (const LengthPenalty penalty : {LengthPenalty::wu, LengthPenalty::power})
    for (const double alpha : {-0.5, 0.0, 0.6, 1.0})
      result.push_back({.length_penalty = penalty, .alpha = alpha});
  return result;
}

}  // namespace

TEST_CASE("a beam wide enough for everything equals brute force, and a shorter list is its beginning") {
  for (const SearchOptions& penalty : without_constraints()) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      EncoderDecoder model = opinionated_model(7, seed, seed % 2 == 0 ? 1 : 3);
      const Ids source = random_sentences({5}, 7, seed).front();
      const auto expected = ranking(model, source, 4, penalty);
      REQUIRE(expected.size() == 341);  // up to four of four words
      for (const Index n_best : {1, 4, 400}) {
        CAPTURE(penalty.alpha, seed, n_best);
        SearchOptions options = exhaustive(penalty);
        options.n_best = n_best;
        const auto found = beam_search(model, pack_sources({source}), options).front();
        REQUIRE(found.size() == std::min<std::size_t>(341, to_size(n_best)));
        check_ranking(found, expected);
      }
    }
  }
}

TEST_CASE("under constraints, a beam wide enough for everything equals brute force") {
  for (std::size_t kind = 0; kind < constraints.size(); ++kind) {
    CAPTURE(kind);
    const SearchOptions options = exhaustive(constraints[kind]);
    int another_best = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      EncoderDecoder model = opinionated_model(7, seed, seed % 2 == 0 ? 1 : 3);
      const std::vector<Ids> sources = random_sentences({2, 5}, 7, seed);
      const auto found = beam_search(model, pack_sources(sources), options);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto expected = ranking(model, sources[i], 4, options);
        REQUIRE(found[i].size() == expected.size());
        check_ranking(found[i], expected);
        const auto unconstrained = ranking(model, sources[i], 4, {.alpha = options.alpha});
        another_best += unconstrained.front().tokens != expected.front().tokens;
      }
    }
    CHECK(another_best > 0);  // the constraint did forbid something
  }
}

TEST_CASE("greedy search and a beam of 1 take the likeliest token that may come, ids and scores") {
  int another = 0;
  std::vector<SearchOptions> all = without_constraints();
  all.insert(all.end(), constraints.begin(), constraints.end());
  for (const SearchOptions& given : all) {
    SearchOptions options = exhaustive(given);
    options.beam = options.n_best = 1;
    options.max_length_constant = 8;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      EncoderDecoder model = opinionated_model(9, seed);
      const Ids source = random_sentences({4}, 9, seed).front();
      Ids expected;
      double log_probability = 0;
      const auto longest = to_size(options.max_length > 0 ? options.max_length : 8);
      for (std::int32_t best = -1; best != sentence_end_id;) {
        const Numbers scores =
            penalised(next_logits(model, source, expected), expected, options.repetition_penalty);
        best = sentence_end_id;
        double highest = to_index(expected.size()) < options.min_length ? -HUGE_VAL : scores[sentence_end_id];
        for (std::int32_t id = options.generate_unk ? unknown_id : unknown_id + 1;
             id < 9 && expected.size() < longest; ++id) {
          const bool may_come =
              options.no_repeat_ngram == 0 || !repeats(enclosed({}, expected, {id}), options.no_repeat_ngram);
          if (!may_come || scores[to_size(id)] <= highest) continue;
          highest = scores[to_size(id)];
          best = id;
        }
        log_probability += scores[to_size(best)];
        if (best != sentence_end_id) expected.push_back(best);
      }
      const auto greedy = greedy_search(model, pack_sources({source}), options).front();
      const auto beam = beam_search(model, pack_sources({source}), options).front().front();
      for (const transformer::Hypothesis& found : {greedy, beam}) {
        CHECK(found.tokens == expected);
        CHECK(found.log_probability == Approx(log_probability).epsilon(1e-12));
        CHECK(found.score == Approx(log_probability / penalty(options, expected.size())).epsilon(1e-12));
      }
      SearchOptions free{.max_length_ratio = 0, .max_length_constant = 8};
      another += greedy_search(model, pack_sources({source}), free).front().tokens != expected;
    }
  }
  CHECK(another > 20);
}

TEST_CASE("where nothing may come, a translation ends") {
  EncoderDecoder model = opinionated_model(5, 1);  // two words
  const SearchOptions options = exhaustive({.min_length = 4, .no_repeat_ngram = 1});
  std::set<Ids> found;
  const auto list = beam_search(model, pack_sources({{4}}), options).front();
  for (const auto& hypothesis : list) found.insert(hypothesis.tokens);
  CHECK(found == std::set<Ids>{{3, 4}, {4, 3}});
  CHECK(greedy_search(model, pack_sources({{4}}), options).front().tokens.size() == 2);
}

TEST_CASE("min_length goes before the limit of ratio and constant, max_length is one more limit") {
  EncoderDecoder model = opinionated_model(9, 4);
  const PackedSequences source = pack_sources({{4, 5}});
  const auto lengths = [&](const SearchOptions& options) {
    std::set<std::size_t> result;
    const auto list = beam_search(model, source, options).front();
    for (const auto& hypothesis : list) result.insert(hypothesis.tokens.size());
    return result;
  };
  CHECK(lengths({.n_best = 4, .max_length_ratio = 0, .max_length_constant = 2, .min_length = 5}) ==
        std::set<std::size_t>{5});
  CHECK(lengths({.n_best = 4,
                 .max_length_ratio = 1,
                 .max_length_constant = 0,
                 .min_length = 2,
                 .max_length = 100}) == std::set<std::size_t>{2});
  CHECK(lengths({.n_best = 4, .max_length_ratio = 100, .min_length = 3, .max_length = 3}) ==
        std::set<std::size_t>{3});
  CHECK(greatest_length({.max_length_ratio = 2, .max_length_constant = 10}, 7) == 24);
  CHECK(greatest_length({.max_length_ratio = 2, .max_length_constant = 10, .max_length = 30}, 7) == 24);
  CHECK(greatest_length({.max_length_ratio = HUGE_VAL, .max_length = 30}, 7) == 30);
  CHECK(greatest_length({.max_length_ratio = HUGE_VAL, .max_length = 30}, 0) == 30);
  CHECK(greatest_length({.max_length_ratio = 0, .max_length_constant = 1}, 7) == 1);
  CHECK(greatest_length({.max_length_ratio = 0, .max_length_constant = 0}, 7) == longest_translation);
  CHECK(greatest_length({.max_length_ratio = 0, .max_length_constant = 0, .max_length = 30}, 7) == 30);
}

TEST_CASE("the tokens that would complete an n-gram a second time") {
  const auto after = [](const Ids& tokens, Index n) {
    const std::vector<std::int32_t> forbidden = forbidden_after(tokens, {.no_repeat_ngram = n});
    return std::set<std::int32_t>(forbidden.begin(), forbidden.end());
  };
  using Set = std::set<std::int32_t>;
  const Ids tokens{3, 4, 3, 5, 3, 4, 4};
  CHECK(after(tokens, 0) == Set{});
  CHECK(after(tokens, 1) == Set{3, 4, 5});
  CHECK(after(tokens, 2) == Set{3, 4});  // 4 3 and 4 4
  CHECK(after({3, 4, 3, 5, 3}, 2) == Set{4, 5});
  CHECK(after({3, 4, 3, 5, 3, 4}, 3) == Set{3});
  CHECK(after(tokens, 3) == Set{});
  CHECK(after({4, 4}, 2) == Set{4});
  for (Index n = 0; n < 5; ++n) CHECK(after({}, n) == Set{});
  CHECK(forbidden_after(Ids{3}, {.min_length = 2}) == Ids{sentence_end_id});
  CHECK(forbidden_after(Ids{3, 3}, {.min_length = 2}).empty());
  std::vector<Real> four(4), three(3);  // a vocabulary with <unk>, and one that ends before it
  const auto forbidden = [](std::span<Real> logits) {
    return allowed_after(logits, {.sentence = 0, .greatest_length = 9}, {.generate_unk = false}, nullptr)
        .forbidden;
  };
  CHECK(forbidden(four) == Ids{unknown_id});
  CHECK(forbidden(three).empty());
}

TEST_CASE("the repetition penalty makes logits of both signs less likely, once") {
  const auto after = [](const Ids& tokens, double penalty) {
    std::vector<Real> logits{4, -4, 1, 0, 2};
    penalise_repetition(logits, tokens, penalty);
    return logits;
  };
  CHECK(after({0, 1, 0, 3}, 2) == std::vector<Real>{2, -8, 1, 0, 2});
  CHECK(after({0, 1}, 0.5) == std::vector<Real>{8, -2, 1, 0, 2});
  CHECK(after({}, 2) == std::vector<Real>{4, -4, 1, 0, 2});
}

TEST_CASE("constraints that make no search are refused") {
  EncoderDecoder model = opinionated_model(9, 7);
  const PackedSequences source = pack_sources({{4}});
  const auto refused = [&](const SearchOptions& options, const std::string& text) {
    CHECK_ERROR(beam_search(model, source, options), text);
    CHECK_ERROR(greedy_search(model, source, options), text);
  };
  refused({.min_length = -1}, "min_length -1 and max_length 0 must not be negative");
  refused({.max_length = -1}, "max_length -1 must not be negative");
  refused({.min_length = 5, .max_length = 4}, "min_length is 5, but max_length is 4");
  refused({.no_repeat_ngram = -1}, "no_repeat_ngram is -1; it must not be negative");
  for (const double penalty : {0.0, -1.0, std::nan(""), HUGE_VAL})
    refused({.repetition_penalty = penalty}, "it must be from 0.001 to 1000");
}
