// How to write your own encoder: a convolution over three words (as in Gehring et al. 2017), which a decoder
// with attention reads. my_encoder.cpp trains and shows it, my_encoder_check.cpp checks its gradients.
#pragma once

#include <algorithm>

#include "transformer/transformer.h"

namespace regard {

/// Row i of the memory, for the word x_i with its neighbours: h_i = x_i + tanh(W [x_(i-1); x_i; x_(i+1)] +
/// b). The first and the last word of a sentence are their own neighbours.
class MyEncoder : public transformer::Encoder {
 public:
  MyEncoder(const nn::Embedding& source, Random& random)
      : embedding(source), layer(3 * width(), width(), random) {}

  transformer::Memory encode(const transformer::Source& source) override {
    std::vector<std::int32_t> before, after;
    for (Index sentence = 0; sentence < source.sentences(); ++sentence) {
      const Index begin = source.offsets[sentence], end = source.offsets[sentence + 1];
      for (Index i = begin; i < end; ++i) {
        before.push_back(source.ids[std::max(i - 1, begin)]);
        after.push_back(source.ids[std::min(i + 1, end - 1)]);
      }
    }
    const Tensor x = embedding(source.ids);
    return {.rows = x + tanh(layer(concat({embedding(before), x, embedding(after)}, 1))),
            .offsets = source.offsets};
  }
  Index width() const override { return embedding.weight.size(1); }
  void visit(nn::Visitor& visitor) override { visitor("layer", layer); }
  void visit_embedding(nn::Visitor& visitor) override { visitor("src_embed", embedding); }

  nn::Embedding embedding;
  nn::Linear layer;
};

/// The encoder under the recurrent decoder with attention of Bahdanau et al. 2015.
inline transformer::EncoderDecoder make_my_model(Index source_words, Index target_words, Index width,
                                                 Random random) {
  const transformer::Embeddings embeddings = transformer::make_embeddings(
      {source_words, target_words, width, transformer::SharedEmbeddings::none}, random);
  transformer::RecurrentConfig config = transformer::recurrent_preset("bahdanau2015");
  config.d_model = width;
  config.bidirectional = false;
  return {std::make_unique<MyEncoder>(embeddings.source, random),
          std::make_unique<transformer::RecurrentDecoder>(config, embeddings.target, width,
                                                          std::vector<Index>(), random),
          embeddings.generator};
}

}  // namespace regard
