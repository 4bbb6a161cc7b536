#include "transformer/attention_layers.h"

#include <algorithm>
#include <array>
#include <cmath>

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

}  // namespace

std::vector<AttentionLayer> attention_layers(EncoderDecoder& model) {
  Collector collector;
  model.visit(collector);
  return std::move(collector.found);
}

const LayerAttention* weights_of(const AttentionWeights& weights, const AttentionLayer& attention) {
  const auto of_layer = [&](const std::vector<LayerAttention>& layers) {
    return attention.layer < to_index(layers.size()) ? &layers[to_size(attention.layer)] : nullptr;
  };
  switch (attention.kind) {
    case AttentionKind::encoder:
      return of_layer(weights.encoder_self);
    case AttentionKind::decoder:
      return of_layer(weights.decoder_self);
    case AttentionKind::source:
      return of_layer(weights.memory);
  }
  return nullptr;
}

HeadsOff::HeadsOff(EncoderDecoder& model) : layers_(attention_layers(model)) {
  for (const AttentionLayer& layer : layers_) before_.push_back(*layer.mask);
}

// An exception that is thrown here runs the destructor, because the other constructor is done.
HeadsOff::HeadsOff(EncoderDecoder& model, const std::vector<Head>& heads) : HeadsOff(model) {
  for (const Head& head : heads) {
    const auto layer = std::ranges::find(layers_, head.attention, &AttentionLayer::name);
    if (layer == layers_.end()) fail("this model has no attention \"{}\"", head.attention);
    layer->mask->switch_off(head.head);
  }
}

HeadsOff::~HeadsOff() {
  for (std::size_t i = 0; i < layers_.size(); ++i) std::swap(*layers_[i].mask, before_[i]);
}

namespace {

/// Mean of the weight of key `key_of(query)` over the queries for which this is a key; 0 if there are none.
template <class KeyOf>
double mean_weight(const Real* weights, Index queries, Index keys, const KeyOf& key_of) {
  double sum = 0;
  Index count = 0;
  for (Index query = 0; query < queries; ++query) {
    const Index key = key_of(query);
    if (key < 0 || key >= keys) continue;
    sum += static_cast<double>(weights[query * keys + key]);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

}  // namespace

double entropy(const Tensor& weights, Index head) {
  const Index queries = weights.size(1), keys = weights.size(2);
  const Real* const of_head = weights.data() + head * queries * keys;
  double sum = 0;
  for (Index i = 0; i < queries * keys; ++i)
    if (const auto weight = static_cast<double>(of_head[i]); weight > 0) sum -= weight * std::log(weight);
  return sum / static_cast<double>(queries);
}

std::string_view looks_at(const Tensor& weights, Index head) {
  const Index queries = weights.size(1), keys = weights.size(2);
  const Real* const of_head = weights.data() + head * queries * keys;
  const auto mean = [&](const auto& key_of) { return mean_weight(of_head, queries, keys, key_of); };
  struct Candidate {
    std::string_view word;
    double weight;
  };
  const std::array candidates{
      Candidate{"previous", mean([](Index query) { return query - 1; })},
      Candidate{"next", mean([](Index query) { return query + 1; })},
      Candidate{"same", mean([](Index query) { return query; })},
      // The first and the last query see themselves there.
      Candidate{"begin", mean([](Index query) { return query == 0 ? -1 : Index{0}; })},
      Candidate{"end", mean([&](Index query) { return query == keys - 1 ? -1 : keys - 1; })}};
  Candidate best{"", 0.5};
  for (const Candidate& candidate : candidates)
    if (candidate.weight > best.weight) best = candidate;
  return best.word;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
