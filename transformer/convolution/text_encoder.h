#pragma once

#include <span>
#include <vector>

#include "autograd/machine/real.h"
#include "nn/layers.h"
#include "nn/positions.h"
#include "transformer/encoder_decoder.h"
#include "transformer/self_attention/layers.h"

// An encoder of sentences made of convolutions.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The rows of the tokens under a window that stands on each token: the token and window / 2 tokens on each
/// side. For a place beyond the sentence, it is the number of tokens. The window is odd. [tokens, window]
std::vector<std::int32_t> windows_of_tokens(const std::vector<Index>& offsets, Index window);

/// One layer of Gehring et al. 2017, section 3.2. For window k, token i of a sentence and its row x_i:
///   y_i = x_i + GLU(W [x_(i-k/2); …; x_i; …; x_(i+k/2)] + b),   GLU([a; g]) = a * sigmoid(g)
/// The rows under the window are under dropout (section 3.5), and rows beyond the sentence are 0.
class TextConvolutionalLayer : public nn::Module {
 public:
  TextConvolutionalLayer(Index width, Index window, double dropout_rate, Random& random)
      : linear(window * width, 2 * width, random), dropout(dropout_rate) {}

  /// x[tokens, width] and the windows of their tokens (windows_of_tokens) -> [tokens, width]
  Tensor operator()(const Tensor& x, std::span<const std::int32_t> windows);
  void visit(nn::Visitor& visitor) override;

  nn::Linear linear;  ///< W [2 width, window * width] and b
  nn::Dropout dropout;
};

/// Convolutions over the tokens of each sentence (Gehring et al. 2017, section 3): embedding and position,
/// then layers. The memory is the last layer's output, one row for each token. Each layer sees window / 2
/// tokens further on each side. Not taken from the paper: the normalisations of section 3.5, and the sum with
/// the embeddings that its attention reads.
class TextConvolutionalEncoder : public Encoder {
 public:
  struct Settings {
    Index layers;
    Index window;  ///< tokens; odd
    nn::Positions::Settings positions = {};
    double embedding_dropout = 0;
    double dropout = 0;  ///< on the input of each convolution
  };
  /// Throws Error if the window is not odd.
  TextConvolutionalEncoder(const Settings& settings, const nn::Embedding& embedding, Random& random);

  Memory encode(const Source& source) override;
  Index width() const override { return input.embedding.weight.size(1); }
  void visit(nn::Visitor& visitor) override;
  void visit_embedding(nn::Visitor& visitor) override { input.visit_embedding(visitor, "src_embed"); }

  PositionedEmbedding input;
  std::vector<TextConvolutionalLayer> layers;

 private:
  Index window_;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
