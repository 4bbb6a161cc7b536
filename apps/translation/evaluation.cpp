#include "apps/translation/evaluation.h"

#include <cmath>

#include "apps/translation/batching.h"
#include "apps/translation/translator.h"
#include "autograd/graph.h"

namespace regard::translation {

double Evaluation::perplexity() const { return std::exp(loss); }

namespace {
double mean_loss(transformer::Transformer& model, const ParallelCorpus& corpus) {
  const NoGrad no_grad;
  double sum = 0;
  std::size_t targets = 0;
  for (const auto& pairs : plan_epoch(pair_lengths(corpus), {.tokens = 4096}, 1, 1)) {
    const transformer::Batch batch = make_batch(corpus, pairs);
    sum += static_cast<double>(model.loss(batch).item()) * static_cast<double>(batch.target_output.size());
    targets += batch.target_output.size();
  }
  return sum / static_cast<double>(targets);
}
}  // namespace

Evaluation evaluate(transformer::Transformer& model, const ParallelCorpus& corpus,
                    const transformer::SearchOptions& options) {
  model.eval();
  const double loss = mean_loss(model, corpus);
  // The search refuses logits that are no numbers; the trainer, told of such a loss, says at which step.
  if (!std::isfinite(loss)) return {.loss = loss, .exact_match = 0};
  const auto found = search_all(model, corpus.source, options);
  std::size_t exact = 0;
  for (std::size_t i = 0; i < found.size(); ++i) exact += found[i].front().tokens == corpus.target[i];
  return {.loss = loss, .exact_match = static_cast<double>(exact) / static_cast<double>(found.size())};
}

}  // namespace regard::translation
