// Samples that a rule constrains.
#include <cmath>
#include <memory>

#include "apps/sampling/sampling.h"
#include "tests/catch.h"
#include "tests/transformer/search/one_pair.h"

using namespace regard;
using namespace regard::tests;

TEST_CASE("samples follow a rule") {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    CAPTURE(seed);
    EncoderDecoder model = opinionated_model(rule_vocabulary, seed, 2);
    const auto drawn = sample_search(model, pack_sources(pair_sources), {.search = with_rule(50)});
    for (const auto& sample : drawn.front()) CHECK(pairs_in(sample.tokens) == 1);
  }
}

TEST_CASE("no sample has a token that never comes when all others are forbidden") {
  EncoderDecoder model = one_word_model();
  for (const double temperature : {0.0, 1.0})
    for (const auto& of_sentence : sample_search(model, pack_sources(pair_sources),
                                                 {.temperature = temperature, .search = one_word_options()}))
      check_one_word(of_sentence.front());
}

TEST_CASE("a token that a rule refuses is sampled again from the others") {
  // The samples of the first token are distributed as the model's probabilities without the refused ones.
  class NotRight : public transformer::TokenRule {
    bool allows(std::span<const std::int32_t>, std::int32_t next) const override {
      return next != right_token && next != unknown_id;
    }
  };
  EncoderDecoder model = opinionated_model(rule_vocabulary, 2);
  transformer::SamplingOptions sampling{.search = {.n_best = 20000, .max_length = 1}};
  sampling.search.make_rule = [](auto) { return std::make_shared<NotRight>(); };
  double ended = 0, left = 0;
  const auto drawn = sample_search(model, pack_sources({pair_sources[0]}), sampling);
  for (const auto& sample : drawn.front()) {
    CHECK((sample.tokens.empty() || sample.tokens == Ids{left_token}));
    (sample.tokens.empty() ? ended : left) += 1;
  }
  const NoGrad no_grad;
  const Tensor all =
      log_softmax(model.logits(make_batch(std::vector<Ids>{pair_sources[0]}, std::vector<Ids>{{}})));
  const double end = std::exp(all.at({0, sentence_end_id})), token = std::exp(all.at({0, left_token}));
  CHECK(ended / 20000 == Approx(end / (end + token)).margin(0.02));
  CHECK(end / (end + token) == Approx(0.5).margin(0.45));  // both come
}
