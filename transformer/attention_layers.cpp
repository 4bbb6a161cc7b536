#include "transformer/attention_layers.h"

#include <algorithm>

#include "autograd/graph.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

std::vector<AttentionLayer> attention_layers(EncoderDecoder& model) {
  std::vector<AttentionLayer> layers;
  const auto add_all = [&](const std::string& side, nn::Module& part, bool is_encoder) {
    for (const auto& [name, attention] : nn::attentions_of(part)) {
      const AttentionKind kind = is_encoder                  ? AttentionKind::encoder
                                 : attention->reads_memory() ? AttentionKind::source
                                                             : AttentionKind::decoder;
      const auto before = std::count_if(layers.begin(), layers.end(),
                                        [&](const AttentionLayer& layer) { return layer.kind == kind; });
      layers.push_back({side + name, kind, before, attention});
    }
  };
  add_all("encoder.", model.encoder(), true);
  add_all("decoder.", model.decoder(), false);
  return layers;
}

std::vector<AttentionLayer> ForcedPass::of(AttentionKind kind) const {
  std::vector<AttentionLayer> found;
  for (const AttentionLayer& layer : attentions)
    if (layer.kind == kind && !layer.weights.empty()) found.push_back(layer);
  return found;
}

ForcedPass forced_pass(EncoderDecoder& model, const Batch& batch) {
  const NoGrad no_grad;
  nn::AttentionRecord record;
  ForcedPass pass{.memory = model.encode(batch.source), .hidden = {}, .attentions = attention_layers(model)};
  pass.hidden = model.decode(batch.target_input, pass.memory);
  for (AttentionLayer& layer : pass.attentions) layer.weights = std::move(record.weights[layer.attention]);
  return pass;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
