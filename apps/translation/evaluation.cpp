#include "apps/translation/evaluation.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "apps/translation/batching.h"
#include "apps/translation/translator.h"
#include "autograd/graph.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/shapes.h"
#include "autograd/ops/softmax.h"

namespace regard::translation {

double Evaluation::perplexity() const { return std::exp(loss); }

namespace {

/// Sums over target tokens.
struct Teacher {
  double loss = 0;
  std::size_t right = 0, tokens = 0;
};

/// Logits of rows of decoder outputs are there for some rows at a time, as in linear_cross_entropy: all at
/// once would be [tokens, vocabulary].
constexpr std::int64_t rows_at_a_time = 512;

/// Adds a batch. Ends early, with a loss that is no number, where there is one.
void add_batch(Teacher& sums, transformer::Transformer& model, const transformer::Batch& batch) {
  const Tensor hidden = model.decode(batch.target_input, model.encode(batch.source), batch.source);
  const std::span<const std::int32_t> targets = batch.target_output;
  for (std::int64_t begin = 0; begin < hidden.size(0); begin += rows_at_a_time) {
    const std::int64_t end = std::min(begin + rows_at_a_time, hidden.size(0));
    const auto expected =
        targets.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    const Tensor logits = model.project(slice(hidden, 0, begin, end));
    sums.loss +=
        static_cast<double>(cross_entropy(logits, expected).item()) * static_cast<double>(end - begin);
    if (!std::isfinite(sums.loss)) return;
    const std::vector<std::int32_t> likeliest = largest_logits(logits, 1).positions;
    for (std::size_t i = 0; i < expected.size(); ++i) sums.right += likeliest[i] == expected[i];
    sums.tokens += expected.size();
  }
}

/// Loss and token accuracy: the model sees each reference up to the token that it has to predict.
Evaluation with_teacher(transformer::Transformer& model, const ParallelCorpus& corpus) {
  const NoGrad no_grad;
  Teacher sums;
  for (const auto& pairs : plan_epoch(pair_lengths(corpus), {.tokens = 4096}, 1, 1)) {
    add_batch(sums, model, make_batch(corpus, pairs));
    if (!std::isfinite(sums.loss)) return {.loss = sums.loss};
  }
  const auto tokens = static_cast<double>(sums.tokens);
  return {.loss = sums.loss / tokens, .token_accuracy = static_cast<double>(sums.right) / tokens};
}

}  // namespace

Evaluation evaluate(transformer::Transformer& model, const ParallelCorpus& corpus,
                    const transformer::SearchOptions& options) {
  model.eval();
  Evaluation evaluation = with_teacher(model, corpus);
  // The search refuses logits that are no numbers; the trainer, told of such a loss, says at which step.
  if (!std::isfinite(evaluation.loss)) return evaluation;
  std::size_t exact = 0;
  for (auto& found : search_all(model, corpus.source, options)) {
    exact += found.front().tokens == corpus.target[evaluation.translations.size()];
    evaluation.translations.push_back(std::move(found.front().tokens));
  }
  evaluation.exact_match = static_cast<double>(exact) / static_cast<double>(evaluation.translations.size());
  return evaluation;
}

}  // namespace regard::translation
