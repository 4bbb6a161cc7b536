#include "apps/translation/translator/evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"
#include "tests/apps/training/small_training.h"
#include "tests/catch.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_size;
using regard::transformer::EncoderDecoder;
using regard::transformer::SearchOptions;

namespace {

/// The mean of minus the log-probability of all reference tokens. It computes each sentence alone from its
/// logits.
double naive_loss(EncoderDecoder& model, const ParallelCorpus& corpus) {
  double sum = 0;
  std::size_t tokens = 0;
  for (std::size_t pair = 0; pair < corpus.source.size(); ++pair) {
    const regard::transformer::Batch batch = make_batch(corpus, std::vector<std::size_t>{pair});
    const regard::Tensor logits = model.logits(batch);
    for (Index row = 0; row < logits.size(0); ++row, ++tokens) {
      double total = 0;
      for (Index word = 0; word < logits.size(1); ++word)
        total += std::exp(static_cast<double>(logits.at({row, word})));
      const Index target = batch.target_output[to_size(row)];
      sum += std::log(total) - static_cast<double>(logits.at({row, target}));
    }
  }
  return sum / static_cast<double>(tokens);
}

/// A model for which the same token is always the most likely one.
EncoderDecoder model_that_says(std::int32_t token) {
  EncoderDecoder model = SmallTraining().model();
  for (const auto& [name, tensor] : model.parameters())
    std::ranges::fill(tensor.values(), name.ends_with("norm3.bias") || name == "decoder.norm.bias" ? 1 : 0);
  const auto width = to_size(model.generator.weight.size(1));
  std::ranges::fill(model.generator.weight.values().subspan(to_size(token) * width, width), 1);
  model.eval();
  return model;
}

}  // namespace

TEST_CASE("the loss is the mean over all reference tokens", "[evaluation]") {
  SmallTraining training;
  EncoderDecoder model = training.model();
  // Several batches, the last one small; sentences of many lengths.
  const ParallelCorpus corpus = numbered_corpus(900, 20, SmallTraining::words);
  REQUIRE(plan_epoch(pair_lengths(corpus), 4096, 1, 1).size() > 2);
  const Evaluation evaluation = evaluate(model, corpus, {.beam = 1, .max_length_ratio = 0});
  CHECK(evaluation.loss == Approx(naive_loss(model, corpus)).epsilon(1e-5));
  CHECK(evaluation.perplexity() == Approx(std::exp(evaluation.loss)));
}

TEST_CASE("token accuracy is the share of reference tokens that are the most likely", "[evaluation]") {
  SmallTraining training;
  EncoderDecoder model = training.model();
  model.eval();
  const ParallelCorpus corpus = numbered_corpus(900, 20, SmallTraining::words);
  std::size_t right = 0, tokens = 0;
  for (std::size_t pair = 0; pair < corpus.source.size(); ++pair) {
    const regard::transformer::Batch batch = make_batch(corpus, std::vector<std::size_t>{pair});
    const regard::Tensor logits = model.logits(batch);
    for (Index row = 0; row < logits.size(0); ++row, ++tokens) {
      const auto columns = logits.values().subspan(to_size(row * logits.size(1)), to_size(logits.size(1)));
      right += std::ranges::max_element(columns) - columns.begin() == batch.target_output[to_size(row)];
    }
  }
  REQUIRE(right > 20);
  REQUIRE(right < tokens / 2);
  const Evaluation evaluation = evaluate(model, corpus, {.beam = 1, .max_length_ratio = 0});
  CHECK(evaluation.token_accuracy == Approx(static_cast<double>(right) / static_cast<double>(tokens))
                                         .margin(1.5 / static_cast<double>(tokens)));
}

TEST_CASE("if a weight is not finite, the loss is not finite", "[evaluation]") {
  SmallTraining training;
  EncoderDecoder model = training.model();
  const regard::Tensor last = model.parameters().back().tensor;
  last.values().back() = std::numeric_limits<float>::quiet_NaN();
  const Evaluation evaluation = evaluate(model, numbered_corpus(20, 6, SmallTraining::words), {.beam = 1});
  CHECK_FALSE(std::isfinite(evaluation.loss));
  CHECK(evaluation.translations.empty());
}

TEST_CASE("an evaluation does not use dropout, even after a training step", "[evaluation]") {
  SmallTraining training;
  training.settings.model.config.dropout = regard::transformer::DropoutRates::all(0.5);
  EncoderDecoder model = training.model();
  const ParallelCorpus corpus = numbered_corpus(20, 6, SmallTraining::words);
  model.train();
  const Evaluation first = evaluate(model, corpus, {.beam = 1});
  model.train();
  const Evaluation second = evaluate(model, corpus, {.beam = 1});
  CHECK(first.loss == second.loss);
  model.eval();
  CHECK(first.loss == Approx(naive_loss(model, corpus)).epsilon(1e-5));
}

TEST_CASE("exact match counts only equal sentences", "[evaluation]") {
  const SmallTraining training;
  EncoderDecoder model = training.model();
  model.eval();
  ParallelCorpus corpus = numbered_corpus(8, 5, SmallTraining::words);
  const SearchOptions options{.beam = 3};
  const auto found = search_all(model, corpus.source, options);
  for (std::size_t i = 0; i < found.size(); ++i) corpus.target[i] = found[i].front().tokens;
  const Evaluation perfect = evaluate(model, corpus, options);
  CHECK(perfect.exact_match == 1);
  CHECK(perfect.translations == corpus.target);
  corpus.target[0].push_back(4);                              // one word more
  corpus.target[3] = {4, 5, 6, 7, 8, 9, 10, 11, 4, 5, 6, 7};  // other words
  corpus.target[5].insert(corpus.target[5].begin(), 4);
  const Evaluation worse = evaluate(model, corpus, options);
  CHECK(worse.exact_match == 5.0 / 8);
  CHECK(worse.exact == std::vector<bool>{false, true, true, false, true, false, true, true});
}

TEST_CASE("an unknown word in the reference never counts as right", "[evaluation]") {
  const SearchOptions options{.beam = 1, .max_length = 3};
  const auto corpus_of = [](std::int32_t token) {
    ParallelCorpus corpus;
    corpus.source = {{4, 5}};
    corpus.target = {{token, token, token}};
    return corpus;
  };
  constexpr std::int32_t word = 5;
  EncoderDecoder says_word = model_that_says(word), says_unknown = model_that_says(special::unknown);
  const Evaluation known = evaluate(says_word, corpus_of(word), options);
  CHECK(known.translations.front() == std::vector<std::int32_t>{word, word, word});
  CHECK(known.exact_match == 1);
  CHECK(known.token_accuracy == 0.75);  // the end of the sentence is wrong

  const Evaluation unknown = evaluate(says_unknown, corpus_of(special::unknown), options);
  CHECK(unknown.translations.front() ==
        std::vector<std::int32_t>{special::unknown, special::unknown, special::unknown});
  CHECK(unknown.exact_match == 0);
  CHECK(unknown.token_accuracy == 0);

  ParallelCorpus mixed = corpus_of(word);
  mixed.target.front()[1] = special::unknown;
  CHECK(evaluate(says_word, mixed, options).token_accuracy == 0.5);
}

TEST_CASE("a perplexity is readable, even if no double can hold it", "[evaluation]") {
  CHECK(perplexity_text(0, 3) == "1.000");
  CHECK(perplexity_text(std::log(12.5), 2) == "12.50");
  CHECK(perplexity_text(std::log(99'999), 2) == "99999.00");
  CHECK(perplexity_text(std::log(123'456), 2) == "1.23e+05");
  CHECK(perplexity_text(100, 3) == "2.69e+43");
  CHECK(perplexity_text(900, 2) == "7.33e+390");  // from bc: e(900)
  CHECK(perplexity_text(std::log(9.996e7), 2) == "1.00e+08");
}
