#include "apps/translation/translator/evaluation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <span>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/checked_cast.h"
#include "autograd/graph.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/softmax.h"

namespace regard::translation {

double Evaluation::perplexity() const { return std::exp(loss); }

std::string perplexity_text(double loss, int decimals) {
  if (const double value = std::exp(loss); value < 1e5) return fmt::format("{:.{}f}", value, decimals);
  const double power_of_10 = loss / std::numbers::ln10;
  double exponent = std::floor(power_of_10), digits = std::pow(10, power_of_10 - exponent);
  if (digits >= 9.995) digits = 1, ++exponent;  // it would be printed as 10.00
  return fmt::format("{:.2f}e+{:02.0f}", digits, exponent);
}

namespace {

/// Sums over target tokens. If the reference has an unknown word, every prediction for it counts as wrong.
struct ReferenceSums {
  double loss = 0;
  std::size_t right = 0, tokens = 0;
};

/// Adds a batch. If its loss is not finite, adds only the loss.
void add_batch(ReferenceSums& sums, transformer::EncoderDecoder& model, const transformer::Batch& batch) {
  const Tensor hidden = model.hidden(batch);
  visit_logits(model, hidden, [&](Index first, const Tensor& logits) {
    const auto expected =
        std::span<const std::int32_t>(batch.target_output).subspan(to_size(first), to_size(logits.size(0)));
    sums.loss +=
        static_cast<double>(cross_entropy(logits, expected).item()) * static_cast<double>(logits.size(0));
    if (!std::isfinite(sums.loss)) return;
    const std::vector<std::int32_t> likeliest = largest_logits(logits, 1).positions;
    for (std::size_t i = 0; i < expected.size(); ++i)
      sums.right += likeliest[i] == expected[i] && expected[i] != special::unknown;
    sums.tokens += expected.size();
  });
}

/// Computes loss and token accuracy with teacher forcing: the model reads each reference up to the token that
/// it predicts.
Evaluation evaluate_references(transformer::EncoderDecoder& model, const ParallelCorpus& corpus) {
  const NoGrad no_grad;
  ReferenceSums sums;
  for (const auto& pairs : plan_epoch(pair_lengths(corpus, &model.encoder()), {.tokens = 4096}, 1, 1)) {
    add_batch(sums, model, make_batch(corpus, pairs));
    if (!std::isfinite(sums.loss)) return {.loss = sums.loss};
  }
  const auto tokens = static_cast<double>(sums.tokens);
  return {.loss = sums.loss / tokens, .token_accuracy = static_cast<double>(sums.right) / tokens};
}

/// True if a translation is equal to the reference. A reference with an unknown word matches no translation,
/// because <unk> can be any unknown word.
bool matches(const std::vector<std::int32_t>& translation, const std::vector<std::int32_t>& reference) {
  return translation == reference && std::ranges::count(reference, special::unknown) == 0;
}

}  // namespace

Evaluation evaluate(transformer::EncoderDecoder& model, const ParallelCorpus& corpus,
                    const transformer::SearchOptions& options) {
  model.eval();
  Evaluation evaluation = evaluate_references(model, corpus);
  // The search throws an error if a logit is not finite. The trainer can add the step to the message, so it
  // gets the loss instead.
  if (!std::isfinite(evaluation.loss)) return evaluation;
  std::size_t exact = 0;
  for (auto& found : search_all(model, corpus.source, options)) {
    exact += matches(found.front().tokens, corpus.target[evaluation.translations.size()]);
    evaluation.translations.push_back(std::move(found.front().tokens));
  }
  evaluation.exact_match = static_cast<double>(exact) / static_cast<double>(evaluation.translations.size());
  return evaluation;
}

}  // namespace regard::translation
