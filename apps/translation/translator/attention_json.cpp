#include "apps/translation/translator/attention_json.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

using transformer::AttentionKind;
using transformer::AttentionLayer;

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

/// Weights with 7 decimals need half of the text and are as exact as float.
double rounded(Real weight) { return std::round(static_cast<double>(weight) * 1e7) / 1e7; }

Json head_json(const Tensor& weights, Index head, bool in_line) {
  const Index count = weights.size(1) * weights.size(2);
  Json::array_t numbers;
  numbers.reserve(to_size(count));
  for (Index i = 0; i < count; ++i) numbers.emplace_back(rounded(weights.data()[head * count + i]));
  return {{"weights", std::move(numbers)},
          {"entropy", entropy(weights, head)},
          {"looks_at", std::string(in_line ? looks_at(weights, head) : "")}};
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

Json attention_json(const transformer::ForcedPass& pass, Index sentence) {
  Json result = Json::array();
  for (const AttentionLayer& layer : pass.attentions) {
    if (layer.weights.empty()) continue;
    const Tensor& weights = layer.weights[to_size(sentence)];
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
