#include "transformer/embeddings.h"

#include <vector>

#include "autograd/machine/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Tensor Generator::cross_entropy(const Tensor& rows, std::span<const std::int32_t> targets,
                                const CrossEntropyOptions& options) const {
  if (!weight) return regard::cross_entropy(rows, targets, options);
  const Index vocabulary = weight.size(0);
  Index first = 0;
  while (bias && first < vocabulary && bias.data()[first] <= never_predicted) ++first;
  if (first == 0) return linear_cross_entropy(rows, weight, bias, targets, options);
  std::vector<std::int32_t> shifted(targets.begin(), targets.end());
  for (std::int32_t& target : shifted) target -= static_cast<std::int32_t>(first);
  return linear_cross_entropy(rows, slice(weight, 0, first, vocabulary), slice(bias, 0, first, vocabulary),
                              shifted, options);
}

Embeddings make_embeddings(const EmbeddingSettings& settings, Random& random) {
  if (settings.shared == SharedEmbeddings::all && settings.source_vocabulary != settings.target_vocabulary)
    fail("shared_embeddings is all, but the vocabularies have {} and {} entries; use a joint vocabulary",
         settings.source_vocabulary, settings.target_vocabulary);
  nn::Embedding source = settings.source_vocabulary == 0
                             ? nn::Embedding(Tensor())
                             : nn::Embedding(settings.source_vocabulary, settings.width, random);
  nn::Embedding target = settings.shared == SharedEmbeddings::all
                             ? nn::Embedding(source.weight)
                             : nn::Embedding(settings.target_vocabulary, settings.width, random);
  source.scaled = target.scaled = settings.scaled;
  Generator generator(
      settings.shared == SharedEmbeddings::none
          ? nn::parameter(nn::xavier_uniform(settings.target_vocabulary, settings.width, random))
          : target.weight);
  if (settings.generator_bias) generator.bias = nn::parameter(Tensor::zeros({settings.target_vocabulary}));
  return {source, target, generator};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
