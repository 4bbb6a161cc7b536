#include "transformer/attention_layers.h"

#include <algorithm>

#include "autograd/checked_cast.h"
#include "autograd/error.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

AttentionKind kind_of(const std::string& name) {
  if (name.starts_with("encoder")) return AttentionKind::encoder;
  return name.ends_with("self_attn") ? AttentionKind::decoder : AttentionKind::source;
}

class Collector : public nn::Visitor {
 public:
  void heads(const std::string& attention, nn::HeadMask& mask) override {
    const AttentionKind kind = kind_of(attention);
    const auto layer = std::ranges::count(found, kind, &AttentionLayer::kind);
    found.push_back({attention, kind, layer, &mask});
  }
  std::vector<AttentionLayer> found;
};

void switch_all_on(const std::vector<AttentionLayer>& layers) {
  for (const AttentionLayer& layer : layers) layer.mask->switch_all_on();
}

}  // namespace

std::vector<AttentionLayer> attention_layers(EncoderDecoder& model) {
  Collector collector;
  model.visit(collector);
  return std::move(collector.found);
}

const LayerAttention* weights_of(const AttentionWeights& weights, const AttentionLayer& attention) {
  const std::vector<LayerAttention>& layers = attention.kind == AttentionKind::encoder ? weights.encoder_self
                                              : attention.kind == AttentionKind::decoder
                                                  ? weights.decoder_self
                                                  : weights.memory;
  return attention.layer < to_index(layers.size()) ? &layers[to_size(attention.layer)] : nullptr;
}

HeadsOff::HeadsOff(EncoderDecoder& model, const std::vector<Head>& heads) : layers_(attention_layers(model)) {
  try {
    for (const Head& head : heads) {
      const auto layer = std::ranges::find(layers_, head.attention, &AttentionLayer::name);
      if (layer == layers_.end()) fail("this model has no attention \"{}\"", head.attention);
      layer->mask->switch_off(head.head);
    }
  } catch (...) {
    switch_all_on(layers_);
    throw;
  }
}

HeadsOff::~HeadsOff() { switch_all_on(layers_); }

}}}  // namespace regard::REGARD_PRECISION::transformer
