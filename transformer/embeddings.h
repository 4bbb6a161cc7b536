#pragma once

#include <utility>

#include "autograd/real.h"
#include "nn/layers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Which of the source embedding, the target embedding and the output projection are one matrix.
enum class SharedEmbeddings {
  none,           ///< three matrices
  target_output,  ///< target embedding = output projection (Press and Wolf 2017)
  all             ///< all three, over a joint vocabulary (Vaswani et al. 2017 section 3.4)
};

/// The output projection, which turns rows of the decoder's output into logits.
struct Generator {
  Generator(Tensor projection) : weight(std::move(projection)) {}

  Tensor weight;     ///< [target vocabulary, width]
  Tensor bias = {};  ///< [target vocabulary]; empty: none
  /// The softmax runs over the tokens from this one on: from 1 it leaves out <pad>, from 2 also <s>. Both
  /// never come next, and models of other programs may have no such rows.
  Index first_predicted = 0;
};

/// The matrices between tokens and vectors: those of an encoder, of a decoder, and of the model's output.
struct Embeddings {
  nn::Embedding source, target;  ///< source: without a weight if there is no source vocabulary
  Generator generator;
};

struct EmbeddingSettings {
  Index source_vocabulary;  ///< 0: the sources have no vocabulary, as images
  Index target_vocabulary;
  Index width;
  SharedEmbeddings shared = SharedEmbeddings::all;
  bool scaled = true;           ///< nn::Embedding::scaled, on both sides
  bool generator_bias = false;  ///< the output projection has a bias, 0 at the start
  Index first_predicted = 0;    ///< Generator::first_predicted
};

/// Throws Error if the source's embedding is shared but the vocabularies differ in size.
Embeddings make_embeddings(const EmbeddingSettings& settings, Random& random);

}}}  // namespace regard::REGARD_PRECISION::transformer
