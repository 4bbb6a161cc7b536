#include "apps/head_importance/head_importance.h"

#include <algorithm>
#include <functional>

#include "apps/translation/translator/in_batches.h"
#include "autograd/machine/error.h"

namespace regard::translation {

double mean_loss(transformer::EncoderDecoder& model, const ParallelCorpus& corpus) {
  double sum = 0;
  std::size_t tokens = 0;
  for (const transformer::ForcedScore& score : score_all(model, corpus)) {
    sum -= score.log_probability;
    tokens += score.token_log_probabilities.size();
  }
  return sum / static_cast<double>(tokens);
}

HeadImportance head_importance(transformer::EncoderDecoder& model, const ParallelCorpus& corpus) {
  const std::vector<transformer::AttentionLayer> layers = attention_layers(model);
  if (layers.empty())
    fail("this model has no attention, so it has no heads to switch off; use a model with attention");
  HeadImportance result{mean_loss(model, corpus), {}};
  for (const transformer::AttentionLayer& layer : layers)
    for (Index head = 0; head < layer.attention->heads(); ++head) {
      const nn::HeadsOff off(model, {{layer.name, head}});
      result.heads.push_back({{layer.name, head}, layer.kind, mean_loss(model, corpus)});
    }
  std::ranges::stable_sort(result.heads, std::greater<>(), &HeadImportance::WithoutHead::loss);
  return result;
}

}  // namespace regard::translation
