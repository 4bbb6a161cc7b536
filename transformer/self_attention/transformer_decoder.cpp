#include "transformer/self_attention/transformer_decoder.h"

#include "transformer/self_attention/transformer_decoding.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

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

std::unique_ptr<DecodingState> TransformerDecoder::begin(const Memory& memory) {
  return std::make_unique<TransformerDecodingState>(*this, memory);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
