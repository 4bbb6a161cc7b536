#pragma once

#include "autograd/real.h"
#include "nn/layers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Which of the source embedding, the target embedding and the output projection are one matrix.
enum class SharedEmbeddings {
  none,           ///< three matrices
  target_output,  ///< target embedding = output projection (Press and Wolf 2017)
  all             ///< all three, over a joint vocabulary (Vaswani et al. 2017 section 3.4)
};

/// The matrices between tokens and vectors: those of an encoder, of a decoder, and of the model's output.
struct Embeddings {
  nn::Embedding source, target;  ///< source: without a weight if there is no source vocabulary
  Tensor generator;              ///< the output projection, [target vocabulary, width]
};

struct EmbeddingSettings {
  Index source_vocabulary;  ///< 0: the sources have no vocabulary, as images
  Index target_vocabulary;
  Index width;
  SharedEmbeddings shared = SharedEmbeddings::all;
  bool scaled = true;  ///< nn::Embedding::scaled, on both sides
};

/// Throws Error if the source's embedding is shared but the vocabularies differ in size.
Embeddings make_embeddings(const EmbeddingSettings& settings, Random& random);

}}}  // namespace regard::REGARD_PRECISION::transformer
