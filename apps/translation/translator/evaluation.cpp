#include "apps/translation/translator/evaluation.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "apps/translation/corpus/batching.h"
#include "apps/translation/translator/search_batches.h"
#include "autograd/checked_cast.h"
#include "autograd/graph.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/softmax.h"
#include "transformer/search/scoring.h"

namespace regard::translation {

double Evaluation::perplexity() const { return std::exp(loss); }

namespace {

/// Sums over target tokens. Where the reference has an unknown word, no token is the right one.
struct Teacher {
  double loss = 0;
  std::size_t right = 0, tokens = 0;
};

/// Adds a batch; of one whose loss is no number, no more than that.
void add_batch(Teacher& sums, transformer::EncoderDecoder& model, const transformer::Batch& batch) {
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

/// Loss and token accuracy: the model sees each reference up to the token that it has to predict.
Evaluation with_teacher(transformer::EncoderDecoder& model, const ParallelCorpus& corpus) {
  const NoGrad no_grad;
  Teacher sums;
  for (const auto& pairs : plan_epoch(pair_lengths(corpus), {.tokens = 4096}, 1, 1)) {
    add_batch(sums, model, make_batch(corpus, pairs));
    if (!std::isfinite(sums.loss)) return {.loss = sums.loss};
  }
  const auto tokens = static_cast<double>(sums.tokens);
  return {.loss = sums.loss / tokens, .token_accuracy = static_cast<double>(sums.right) / tokens};
}

/// Whether a translation is the reference: never where that has an unknown word, which <unk> stands for and
/// is not.
bool matches(const std::vector<std::int32_t>& translation, const std::vector<std::int32_t>& reference) {
  return translation == reference && std::ranges::count(reference, special::unknown) == 0;
}

}  // namespace

Evaluation evaluate(transformer::EncoderDecoder& model, const ParallelCorpus& corpus,
                    const transformer::SearchOptions& options) {
  model.eval();
  Evaluation evaluation = with_teacher(model, corpus);
  // The search refuses logits that are no numbers; the trainer, told of such a loss, says at which step.
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
