#include "apps/experiments/weights.h"

#include <algorithm>

#include "apps/translation/translator/alignment.h"
#include "transformer/attention_layers.h"

namespace regard::experiments {

std::vector<Tensor> source_weights(Trained& trained, const Pairs& pairs) {
  const translation::ParallelCorpus corpus = encoded(trained, pairs);
  std::vector<Tensor> weights;
  for (std::size_t i = 0; i < corpus.source.size(); ++i) {
    const transformer::Batch batch = transformer::make_batch({&corpus.source[i], 1}, {&corpus.target[i], 1});
    weights.push_back(translation::source_attention(trained.model(), batch).front().weights);
  }
  return weights;
}

double source_entropy(Trained& trained, const Pairs& pairs) {
  double sum = 0;
  const std::vector<Tensor> all = source_weights(trained, pairs);
  for (const Tensor& weights : all)
    sum += transformer::entropy(weights.view({1, weights.size(0), weights.size(1)}), 0);
  return all.empty() ? 0 : sum / static_cast<double>(all.size());
}

double share_of_zeros(Trained& trained, const Pairs& pairs) {
  Index zeros = 0, all = 0;
  for (const Tensor& weights : source_weights(trained, pairs)) {
    zeros += std::ranges::count(weights.values(), Real{0});
    all += weights.size();
  }
  return all > 0 ? 100 * static_cast<double>(zeros) / static_cast<double>(all) : 0;
}

double query_dependence(Trained& trained, const Pairs& pairs) {
  double sum = 0;
  Index tokens = 0;
  for (const Tensor& weights : source_weights(trained, pairs))
    for (Index source = 0; source < weights.size(1); ++source) {
      Real least = 1, most = 0;
      for (Index target = 0; target < weights.size(0); ++target) {
        least = std::min(least, weights.at({target, source}));
        most = std::max(most, weights.at({target, source}));
      }
      sum += static_cast<double>(most - least);
      ++tokens;
    }
  return tokens > 0 ? sum / static_cast<double>(tokens) : 0;
}

}  // namespace regard::experiments
