#include "apps/translation/translator/evaluation.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <span>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/graph.h"
#include "autograd/machine/error.h"
#include "autograd/ops.h"

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

/// The results of a batch of references. If a reference has an unknown word, every prediction for it counts
/// as wrong.
struct ReferenceSums {
  std::vector<double> losses;  ///< the sum over the target tokens of each part of the batch
  Index right = 0, tokens = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReferenceSums, losses, right, tokens)

/// Computes the results of a batch. Ends at the first loss that is not finite.
ReferenceSums sums_of(transformer::EncoderDecoder& model, const transformer::Batch& batch) {
  ReferenceSums sums;
  const Tensor hidden = model.hidden(batch);
  visit_logits(model, hidden, [&](Index first, const Tensor& logits) {
    if (!sums.losses.empty() && !std::isfinite(sums.losses.back())) return;
    const auto expected =
        std::span<const std::int32_t>(batch.target_output).subspan(to_size(first), to_size(logits.size(0)));
    sums.losses.push_back(static_cast<double>(cross_entropy(logits, expected).item()) *
                          static_cast<double>(logits.size(0)));
    if (!std::isfinite(sums.losses.back())) return;
    const std::vector<std::int32_t> likeliest = largest_logits(logits, 1).positions;
    for (std::size_t i = 0; i < expected.size(); ++i)
      sums.right += likeliest[i] == expected[i] && expected[i] != special::unknown;
    sums.tokens += to_index(expected.size());
  });
  return sums;
}

/// Computes loss and token accuracy with teacher forcing: the model reads each reference up to the token that
/// it predicts.
Evaluation evaluate_references(transformer::EncoderDecoder& model, const ParallelCorpus& corpus,
                               Processes& processes) {
  const NoGrad no_grad;
  const BatchPlan plan = plan_epoch(pair_lengths(corpus, &model.encoder()), default_batch_tokens, 1, 1);
  const std::vector<ReferenceSums> results = compute_all(
      plan.size(), [&](std::size_t i) { return sums_of(model, make_batch(corpus, plan[i])); }, processes);
  double loss = 0;
  Index right = 0, tokens = 0;
  for (const ReferenceSums& result : results) {
    for (const double part : result.losses) loss += part;
    right += result.right;
    tokens += result.tokens;
  }
  if (!std::isfinite(loss)) return {.loss = loss};
  return {.loss = loss / static_cast<double>(tokens),
          .token_accuracy = static_cast<double>(right) / static_cast<double>(tokens)};
}

/// True if a translation is equal to the reference. A reference with an unknown word matches no translation,
/// because <unk> can be any unknown word.
bool matches(const std::vector<std::int32_t>& translation, const std::vector<std::int32_t>& reference) {
  return translation == reference && std::ranges::count(reference, special::unknown) == 0;
}

}  // namespace

Evaluation evaluate(const Searched& with, const ParallelCorpus& corpus,
                    const transformer::SearchOptions& options, Processes& processes) {
  transformer::EncoderDecoder& model = with.model;
  model.eval();
  Evaluation evaluation = evaluate_references(model, corpus, processes);
  // The search throws an error if a logit is not finite. The training can add the step to the message, so it
  // gets the loss instead.
  if (!std::isfinite(evaluation.loss)) return evaluation;
  for (auto& found : search_all(with, corpus.source, options, default_search_tokens, processes)) {
    const std::size_t pair = evaluation.translations.size();
    evaluation.exact.push_back(matches(found.front().tokens, corpus.target[pair]));
    evaluation.cut_off += reached_limit(model.encoder(), corpus.source[pair], options, found.front().tokens);
    evaluation.translations.push_back(std::move(found.front().tokens));
  }
  evaluation.exact_match = static_cast<double>(std::ranges::count(evaluation.exact, true)) /
                           static_cast<double>(evaluation.exact.size());
  return evaluation;
}

}  // namespace regard::translation
