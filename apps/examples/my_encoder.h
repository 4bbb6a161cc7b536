// How to write your own encoder: a convolution over three words (as in Gehring et al. 2017), which a decoder
// with attention reads. my_encoder.cpp trains and shows it, my_encoder_check.cpp checks its gradients.
#pragma once

#include <algorithm>

#include "transformer/transformer.h"

namespace regard {

/// Row i of the memory, for the word with embedding and position x_i and its neighbours:
/// h_i = x_i + tanh(W [x_(i-1); x_i; x_(i+1)] + b). The first and the last word of a sentence are their own
/// neighbours.
class MyEncoder : public transformer::Encoder {
 public:
  MyEncoder(const nn::Embedding& source, Random& random)
      : embedding(source), positions(width(), {}, random), layer(3 * width(), width(), random) {}

  transformer::Memory encode(const transformer::Source& source) override {
    std::vector<std::int32_t> before, after;
    for (Index sentence = 0; sentence < source.sentences(); ++sentence) {
      const Index begin = source.offsets[sentence], end = source.offsets[sentence + 1];
      for (Index i = begin; i < end; ++i) {
        before.push_back(static_cast<std::int32_t>(std::max(i - 1, begin)));
        after.push_back(static_cast<std::int32_t>(std::min(i + 1, end - 1)));
      }
    }
    const Tensor x = positions(embedding(source.ids), transformer::positions(source));
    return {.rows = x + tanh(layer(concat({gather(x, 0, before), x, gather(x, 0, after)}, 1))),
            .offsets = source.offsets};
  }
  Index width() const override { return embedding.weight.size(1); }
  void visit(nn::Visitor& visitor) override { visitor("layer", layer); }
  void visit_embedding(nn::Visitor& visitor) override { visitor("src_embed", embedding); }

  nn::Embedding embedding;
  nn::PositionalEncoding positions;
  nn::Linear layer;
};

/// The encoder under one layer of the Transformer's decoder.
inline transformer::EncoderDecoder make_my_model(Index source_words, Index target_words, Index width,
                                                 Random random) {
  const transformer::Embeddings embeddings = transformer::make_embeddings(
      {source_words, target_words, width, transformer::SharedEmbeddings::none}, random);
  const transformer::Config config{.d_model = width,
                                   .heads = 2,
                                   .d_ff = 4 * width,
                                   .decoder_layers = 1,
                                   .dropout = transformer::DropoutRates::all(0)};
  return {std::make_unique<MyEncoder>(embeddings.source, random),
          std::make_unique<transformer::TransformerDecoder>(config, embeddings.target, random),
          embeddings.generator};
}

}  // namespace regard
