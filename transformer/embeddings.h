#pragma once

#include <cstdint>
#include <span>

#include "autograd/ops.h"
#include "nn/layers.h"

// The matrices between tokens and vectors, and which of them are one.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Which of the source embedding, the target embedding and the output projection are one matrix.
enum class SharedEmbeddings {
  none,           ///< three matrices
  target_output,  ///< target embedding = output projection (Press and Wolf 2017)
  all             ///< all three, over a joint vocabulary (Vaswani et al. 2017 section 3.4)
};

/// The bias of a token that never comes next: its probability is exactly 0. It is finite, so that a search
/// may look for NaN and infinity.
constexpr Real never_predicted = Real(-1e30);

/// The output projection, which turns rows of the decoder's output into logits. weight: [target vocabulary,
/// width]; bias: [target vocabulary] or none. Without a weight, the rows are the logits: the decoder makes
/// them itself.
class Generator : public nn::Linear {
 public:
  Generator(const Tensor& projection, const Tensor& its_bias = {}) : Linear(projection, its_bias) {}
  Tensor operator()(const Tensor& rows) const { return weight ? Linear::operator()(rows) : rows; }
  /// Mean cross-entropy of targets, one for each row. Never makes all logits. Label smoothing spreads nothing
  /// over the first tokens as far as their bias is never_predicted.
  Tensor cross_entropy(const Tensor& rows, std::span<const std::int32_t> targets,
                       const CrossEntropyOptions& options = {}) const;
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
};

/// Throws Error if the source's embedding is shared but the vocabularies differ in size.
Embeddings make_embeddings(const EmbeddingSettings& settings, Random& random);

}}}  // namespace regard::REGARD_PRECISION::transformer
