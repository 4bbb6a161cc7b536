#include "transformer/self_attention/transformer.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Memory TransformerEncoder::encode(const Source& source, AttentionWeights* weights) {
  const Segments segments = regard::segments(source.offsets, source.offsets);
  std::vector<LayerAttention>* const seen = weights == nullptr ? nullptr : &weights->encoder_self;
  const Tensor rows = stack(input(source), [&](EncoderLayer& layer, std::size_t number, const Tensor& x) {
    return layer(x, segments, layer_of(seen, number));
  });
  return {.rows = rows, .offsets = source.offsets};
}

Tensor TransformerDecoder::decode(const PackedSequences& target, const Memory& memory,
                                  AttentionWeights* weights) {
  const Segments targets = segments(target.offsets, target.offsets);
  const Segments sources = segments(target.offsets, memory.offsets);
  std::vector<LayerAttention>* const self = weights == nullptr ? nullptr : &weights->decoder_self;
  std::vector<LayerAttention>* const to_memory = weights == nullptr ? nullptr : &weights->memory;
  return stack(input(target), [&](DecoderLayer& layer, std::size_t number, const Tensor& x) {
    return layer(x, memory.rows, targets, sources, layer_of(self, number), layer_of(to_memory, number));
  });
}

EncoderDecoder make_transformer(const Config& config, Random& random) {
  check(config);
  const Embeddings embeddings = make_embeddings({.source_vocabulary = config.source_vocabulary,
                                                 .target_vocabulary = config.target_vocabulary,
                                                 .width = config.d_model,
                                                 .shared = config.shared_embeddings,
                                                 .scaled = config.scaled_embedding,
                                                 .generator_bias = config.generator_bias,
                                                 .first_predicted = config.first_predicted},
                                                random);
  auto encoder = std::make_unique<TransformerEncoder>(config, embeddings.source, random);
  auto decoder = std::make_unique<TransformerDecoder>(config, embeddings.target, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
