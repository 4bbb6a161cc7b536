#include "apps/translation/translator/attention_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "autograd/error.h"
#include "transformer/attention_layers.h"

namespace regard::translation {

namespace {

using transformer::AttentionKind;
using transformer::AttentionLayer;

/// Weights with 7 decimals need half of the text and are as exact as float.
double rounded(Real weight) { return std::round(static_cast<double>(weight) * 1e7) / 1e7; }

Json head_json(const Tensor& weights, Index head, bool in_line) {
  const Index count = weights.size(1) * weights.size(2);
  Json::array_t numbers;
  numbers.reserve(to_size(count));
  for (Index i = 0; i < count; ++i) numbers.emplace_back(rounded(weights.data()[head * count + i]));
  return {{"weights", std::move(numbers)},
          {"entropy", transformer::entropy(weights, head)},
          {"looks_at", std::string(in_line ? transformer::looks_at(weights, head) : "")}};
}

}  // namespace

const char* name_of(AttentionKind kind) {
  switch (kind) {
    case AttentionKind::encoder:
      return "encoder";
    case AttentionKind::decoder:
      return "decoder";
    case AttentionKind::source:
      return "source";
  }
  return "";
}

Json attention_json(transformer::EncoderDecoder& model, const transformer::ForcedPass& pass, Index sentence) {
  Json result = Json::array();
  for (const AttentionLayer& layer : attention_layers(model)) {
    const transformer::LayerAttention* const found = weights_of(pass.weights, layer);
    if (found == nullptr) continue;
    const Tensor& weights = (*found)[to_size(sentence)];
    const bool in_line = layer.kind == AttentionKind::decoder || pass.memory.planes.empty();
    Json heads = Json::array();
    for (Index head = 0; head < weights.size(0); ++head) heads.push_back(head_json(weights, head, in_line));
    result.push_back({{"name", layer.name},
                      {"kind", name_of(layer.kind)},
                      {"layer", layer.layer},
                      {"queries", weights.size(1)},
                      {"keys", weights.size(2)},
                      {"heads", std::move(heads)}});
  }
  return result;
}

}  // namespace regard::translation
