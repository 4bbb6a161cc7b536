#include "apps/translation/translator/alignment.h"

#include <algorithm>
#include <utility>

#include "apps/translation/corpus/batching.h"
#include "autograd/machine/error.h"
#include "transformer/attention_layers.h"

namespace regard::translation {

namespace {

/// Mean over the heads: [heads, targets, sources] -> [targets, sources].
Tensor mean_of_heads(const Tensor& by_head) {
  Tensor mean = Tensor::zeros({by_head.size(1), by_head.size(2)});
  for (Index head = 0; head < by_head.size(0); ++head)
    for (Index i = 0; i < mean.size(); ++i)
      mean.data()[i] += by_head.data()[head * mean.size() + i] / static_cast<Real>(by_head.size(0));
  return mean;
}

}  // namespace

std::vector<SourceAttention> source_attention(transformer::EncoderDecoder& model,
                                              const transformer::Batch& batch) {
  const transformer::ForcedPass pass = forced_pass(model, batch);
  const std::vector<transformer::AttentionLayer> layers = pass.of(transformer::AttentionKind::source);
  if (layers.empty())
    fail(
        "this model has no attention to the source, so there are no attention weights and no alignments; "
        "use a model with attention");
  std::vector<SourceAttention> result;
  for (const Tensor& by_head : layers.back().weights) {
    const std::size_t i = result.size();
    SourceAttention attention;
    if (!pass.memory.planes.empty()) attention.plane = pass.memory.planes[i];
    const Index positions =
        attention.plane ? attention.plane->height * attention.plane->width : batch.source.length(to_index(i));
    if (by_head.size(2) != positions)
      fail(
          "the decoder of this model does not look at single source tokens, so its attention weights belong "
          "to no tokens; use a model whose encoder has one row per token");
    attention.weights = mean_of_heads(by_head);
    result.push_back(std::move(attention));
  }
  return result;
}

Alignment strongest_links(const Tensor& weights) {
  const Index targets = weights.size(0) - 1, sources = weights.size(1) - 1;  // without </s>
  Alignment alignment;
  for (Index target = 0; target < targets; ++target) {
    const Real* const row = weights.data() + target * weights.size(1);
    const Index source = std::max_element(row, row + weights.size(1)) - row;
    if (source < sources) alignment.push_back({source, target});
  }
  return alignment;
}

std::vector<Alignment> align_all(transformer::EncoderDecoder& model, const ParallelCorpus& corpus) {
  std::vector<Alignment> result(corpus.source.size());
  for (const auto& pairs : plan_epoch(pair_lengths(corpus, &model.encoder()), default_batch_tokens, 1, 1)) {
    const std::vector<SourceAttention> attention = source_attention(model, make_batch(corpus, pairs));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (attention[i].plane) fail("a source in a plane has no tokens, so there are no alignments");
      result[pairs[i]] = strongest_links(attention[i].weights);
    }
  }
  return result;
}

}  // namespace regard::translation
