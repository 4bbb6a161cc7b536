#pragma once

// What the tests of search share: models with opinions, and the score of a translation by the whole model.

#include <algorithm>
#include <cmath>

#include "autograd/machine/real.h"
#include "tests/catch.h"
#include "tests/transformer/support.h"

namespace regard::tests {

/// A model of 1+1 layers over `vocabulary` ids, whose distributions are far from even: the more, the larger
/// `emphasis` makes its logits.
inline EncoderDecoder opinionated_model(Index vocabulary, std::uint64_t seed, double emphasis = 1) {
  Config config = small_config();
  config.source_vocabulary = config.target_vocabulary = vocabulary;
  config.encoder_layers = config.decoder_layers = 1;
  config.shared_embeddings = SharedEmbeddings::none;
  EncoderDecoder model = make_model(config, seed, 1.0);
  for (Real& value : model.generator.weight.values()) value *= emphasis;
  model.eval();
  return model;
}

/// log p(tokens </s> | source) of each, by one pass through the whole model.
inline Numbers forced_log_probabilities(EncoderDecoder& model, const Ids& source,
                                        const std::vector<Ids>& translations) {
  const NoGrad no_grad;
  const Batch batch = make_batch(std::vector<Ids>(translations.size(), source), translations);
  const Tensor all = log_softmax(model.logits(batch));
  Numbers result;
  Index row = 0;
  for (const Ids& translation : translations) {
    double sum = 0;
    for (const std::int32_t token : enclosed({}, translation, {sentence_end_id}))
      sum += all.at({row++, token});
    result.push_back(sum);
  }
  return result;
}

struct Scored {
  Ids tokens;
  double score;
};

/// The n best of a search are the first of `expected`, in this order and with these scores.
inline void check_ranking(const std::vector<transformer::Hypothesis>& found,
                          const std::vector<Scored>& expected) {
  REQUIRE(found.size() <= expected.size());
  bool same = true;
  double difference = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    same = same && found[k].tokens == expected[k].tokens;
    difference = std::max(difference, std::abs(found[k].score - expected[k].score));
  }
  CHECK(same);
  CHECK(difference < 1e-10);
}

/// All sequences of up to `longest` of the words of a vocabulary: 3, 4, … may be said.
inline std::vector<Ids> everything(std::size_t longest, Index vocabulary) {
  std::vector<Ids> result{{}};
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i].size() == longest) continue;
    for (std::int32_t token = unknown_id; token < vocabulary; ++token)
      result.push_back(enclosed(Ids(result[i]), {token}, {}));
  }
  return result;
}

/// The logits of the token after `before`, by the whole model.
inline Numbers next_logits(EncoderDecoder& model, const Ids& source, const Ids& before) {
  const NoGrad no_grad;
  const Tensor logits = model.logits(make_batch({source}, {before}));
  return numbers(rows(logits, logits.size(0) - 1, logits.size(0)));
}

/// What a log-probability is divided by, for a translation of this many tokens, </s> not counted.
inline double penalty(const SearchOptions& options, std::size_t tokens) {
  const double n = static_cast<double>(tokens) + 1;
  const double base = options.length_penalty == LengthPenalty::wu ? (5 + n) / 6 : n;
  return std::exp(options.alpha * std::log(base));
}

}  // namespace regard::tests
