#include "transformer/self_attention/transformer_encoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

Memory TransformerEncoder::encode(const Source& source, AttentionWeights* weights) {
  const Segments segments = regard::segments(source.offsets, source.offsets);
  std::vector<LayerAttention>* const seen = weights == nullptr ? nullptr : &weights->encoder_self;
  const Tensor rows = stack(input(source), [&](EncoderLayer& layer, std::size_t number, const Tensor& x) {
    return layer(x, segments, layer_of(seen, number));
  });
  return {.rows = rows, .offsets = source.offsets};
}

}}}  // namespace regard::REGARD_PRECISION::transformer
