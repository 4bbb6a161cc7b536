// Search where every probability is given, and every score can be computed by hand.
#include "tests/transformer/search/bigram_model.h"

using namespace regard;
using namespace regard::tests;

namespace {

constexpr std::int32_t s = sentence_begin_id, end = sentence_end_id, a = 4, b = 5, c = 6;

transformer::Hypothesis greedy(const Bigrams& bigrams, const SearchOptions& options) {
  EncoderDecoder model = bigram_model(bigrams);
  return greedy_search(model, pack_sources({{4}}), options).front();
}

std::vector<transformer::Hypothesis> beam(const Bigrams& bigrams, const SearchOptions& options) {
  EncoderDecoder model = bigram_model(bigrams);
  return beam_search(model, pack_sources({{4}}), options).front();
}

void check(const transformer::Hypothesis& got, const Ids& tokens, double probability, double penalty) {
  CHECK(got.tokens == tokens);
  CHECK(got.log_probability == Approx(std::log(probability)).epsilon(1e-6));
  CHECK(got.score == Approx(std::log(probability) / penalty).epsilon(1e-6));
}

}  // namespace

TEST_CASE("greedy search takes a wrong turn that a beam of two survives") {
  const Bigrams bigrams{
      {s, {{a, 0.6}, {b, 0.4}}}, {a, {{a, 0.4}, {b, 0.3}, {end, 0.3}}}, {b, {{c, 1}}}, {c, {{end, 1}}}};
  const SearchOptions options{.beam = 2, .alpha = 0, .max_length_ratio = 0, .max_length_constant = 3};
  check(greedy(bigrams, options), {a, a, a}, 0.6 * 0.4 * 0.4 * 0.3, 1);
  check(beam(bigrams, options).front(), {b, c}, 0.4, 1);
}

TEST_CASE("the two length penalties") {
  const Bigrams bigrams{{s, {{a, 1}}}, {a, {{b, 0.5}, {c, 0.5}}}, {b, {{end, 1}}}, {c, {{b, 1}}}};
  SearchOptions options{
      .beam = 2, .n_best = 2, .length_penalty = LengthPenalty::power, .alpha = 1, .patience = 0};
  auto found = beam(bigrams, options);  // a b </s> and a c b </s>: the same probability over 3 and over 4
  REQUIRE(found.size() == 2);
  check(found[0], {a, c, b}, 0.5, 4);
  check(found[1], {a, b}, 0.5, 3);

  options.length_penalty = LengthPenalty::wu;
  options.alpha = 0.6;
  found = beam(bigrams, options);
  check(found[0], {a, c, b}, 0.5, std::pow(9.0 / 6, 0.6));
  check(found[1], {a, b}, 0.5, std::pow(8.0 / 6, 0.6));
}

TEST_CASE("the search goes on while a longer translation may still win") {
  // Nothing: log 0.6 = -0.51. After `a`, log 0.3 / 2 = -0.60 is worse, but a b </s> is not: log 0.288 / 3 =
  // -0.41.
  const Bigrams bigrams{{s, {{end, 0.6}, {a, 0.3}, {c, 0.1}}},
                        {a, {{b, 0.98}, {c, 0.02}}},
                        {b, {{end, 0.98}, {c, 0.02}}},
                        {c, {{c, 1}}}};
  for (const Index width : {3, 50})
    check(beam(bigrams, {.beam = width, .length_penalty = LengthPenalty::power, .alpha = 1, .patience = 0})
              .front(),
          {a, b}, 0.3 * 0.98 * 0.98, 3);
}

TEST_CASE("patience is how many translations a search waits for, in beams") {
  // With two hypotheses, nothing and `a` are finished first: log 0.6 = -0.51 and log 0.2 / 2 = -0.80. By then
  // a b is behind, log 0.2 / 3 = -0.54, but a b c </s> would win with log 0.2 / 4 = -0.40.
  const Bigrams bigrams{
      {s, {{end, 0.6}, {a, 0.4}}}, {a, {{end, 0.5}, {b, 0.5}}}, {b, {{c, 1}}}, {c, {{end, 1}}}};
  const auto best = [&](const Bigrams& some, double patience) {
    return beam(some, {.beam = 2, .length_penalty = LengthPenalty::power, .alpha = 1, .patience = patience})
        .front();
  };
  check(best(bigrams, 0.5), {}, 0.6, 1);
  check(best(bigrams, 1), {}, 0.6, 1);
  check(best(bigrams, 1.5), {a, b, c}, 0.2, 4);
  check(best(bigrams, 0), {a, b, c}, 0.2, 4);
  // With log 0.5 = -0.69 for nothing, a b is ahead when two are finished, and no patience ends the search.
  Bigrams ahead = bigrams;
  ahead[s] = {{end, 0.5}, {a, 0.5}};
  ahead[a] = {{end, 0.5}, {b, 0.5}};
  check(best(ahead, 1), {a, b, c}, 0.25, 4);
}

TEST_CASE("with alpha below 0, the search goes on while a shorter translation may still win") {
  // Nothing: log 0.05 = -3.0. `a`: log(0.85 0.9) 2^2 = -1.1, though at the greatest length, 5, log(0.85) 5^2
  // is -4.1.
  const Bigrams bigrams{
      {s, {{end, 0.05}, {a, 0.85}, {b, 0.1}}}, {a, {{end, 0.9}, {b, 0.1}}}, {b, {{end, 0.1}, {b, 0.9}}}};
  const SearchOptions options{.beam = 4,
                              .length_penalty = LengthPenalty::power,
                              .alpha = -2,
                              .patience = 0,
                              .max_length_ratio = 0,
                              .max_length_constant = 4};
  check(beam(bigrams, options).front(), {a}, 0.85 * 0.9, 0.25);
}

TEST_CASE("at the greatest length </s> is taken at its true probability") {
  const Bigrams bigrams{{s, {{a, 1}}}, {a, {{a, 0.99}, {end, 0.01}}}};
  const SearchOptions options{.beam = 1, .alpha = 0, .max_length_ratio = 0, .max_length_constant = 3};
  check(greedy(bigrams, options), {a, a, a}, 0.99 * 0.99 * 0.01, 1);
  check(beam(bigrams, options).front(), {a, a, a}, 0.99 * 0.99 * 0.01, 1);
}

TEST_CASE("of equally likely words the smallest id is taken") {
  const Bigrams bigrams{{s, {{c, 0.4}, {b, 0.4}, {end, 0.2}}}, {b, {{end, 0.5}, {a, 0.5}}}, {c, {{end, 1}}}};
  check(greedy(bigrams, {.alpha = 0}), {b}, 0.2, 1);
  check(beam(bigrams, {.beam = 1, .alpha = 0}).front(), {b}, 0.2, 1);
}

TEST_CASE("a repetition penalty, before the softmax") {
  // After `a`, log 0.6 becomes 2 log 0.6 = log 0.36, so that </s>, 0.4, is likelier.
  const Bigrams bigrams{{s, {{a, 0.9}, {end, 0.1}}}, {a, {{a, 0.6}, {end, 0.4}}}};
  const SearchOptions options{
      .beam = 2, .alpha = 0, .max_length_ratio = 0, .max_length_constant = 3, .repetition_penalty = 2};
  check(greedy(bigrams, options), {a}, 0.9 * 0.4 / 0.76, 1);
  check(beam(bigrams, options).front(), {a}, 0.9 * 0.4 / 0.76, 1);
}

TEST_CASE("what is forbidden leaves the probabilities of the others as they are") {
  const Bigrams bigrams{{s, {{a, 0.7}, {end, 0.3}}}, {a, {{a, 0.5}, {b, 0.2}, {end, 0.3}}}, {b, {{end, 1}}}};
  const SearchOptions options{.beam = 1,
                              .alpha = 0,
                              .max_length_ratio = 0,
                              .max_length_constant = 3,
                              .min_length = 2,
                              .no_repeat_ngram = 1};
  check(greedy(bigrams, options), {a, b}, 0.7 * 0.2, 1);
  check(beam(bigrams, options).front(), {a, b}, 0.7 * 0.2, 1);
}
