#include "transformer/self_attention/transformer.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Memory TransformerEncoder::encode(const Source& source) {
  const Segments sentences = segments(source.offsets, source.offsets);
  Tensor x = input(source);
  for (EncoderLayer& layer : stack.layers) x = layer(x, sentences);
  return {.rows = stack.final_norm(x), .offsets = source.offsets};
}

Tensor TransformerDecoder::decode(const PackedSequences& target, const Memory& memory) {
  const Segments targets = segments(target.offsets, target.offsets);
  const Segments sources = segments(target.offsets, memory.offsets);
  Tensor x = input(target);
  for (DecoderLayer& layer : stack.layers) x = layer(x, memory.rows, targets, sources);
  return stack.final_norm(x);
}

EncoderDecoder make_transformer(const Config& config, Random& random) {
  check(config);
  const Embeddings embeddings = make_embeddings(config.embeddings(), random);
  auto encoder = std::make_unique<TransformerEncoder>(config, embeddings.source, random);
  auto decoder = std::make_unique<TransformerDecoder>(config, embeddings.target, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
