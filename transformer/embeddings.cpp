#include "transformer/embeddings.h"

#include "autograd/error.h"
#include "nn/module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

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
  generator.first_predicted = settings.first_predicted;
  return {source, target, generator};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
