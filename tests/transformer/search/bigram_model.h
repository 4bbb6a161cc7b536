#pragma once

#include <algorithm>
#include <map>

#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"

namespace regard::tests {

/// p(next | previous), whatever came before and whatever the source is.
using Bigrams = std::map<std::int32_t, std::map<std::int32_t, double>>;

/// The layers of the decoder pass on what they get; embeddings are unit vectors, so long that positions do
/// not count; and so a row of the projection holds log p(that word | previous) at the previous word's place.
inline EncoderDecoder bigram_model(const Bigrams& bigrams) {
  Config config = small_config();
  config.source_vocabulary = config.target_vocabulary = 7;
  config.norm = Norm::pre;
  config.final_norm = false;
  config.shared_embeddings = SharedEmbeddings::none;
  EncoderDecoder model = make_model(config, 1);
  model.eval();
  const auto clear = [](const Tensor& x) { std::ranges::fill(x.values(), Real{0}); };
  for (DecoderLayer& layer : decoder_of(model).stack.layers)
    for (const nn::Linear& last :
         {layer.self_attention.out_proj, layer.memory_attention.out_proj, layer.feed_forward.linear2}) {
      clear(last.weight);
      clear(last.bias);
    }
  constexpr double length = 1e8;
  clear(decoder_of(model).input.embedding.weight);
  for (Index word = 0; word < 7; ++word)
    decoder_of(model).input.embedding.weight.data()[word * 8 + word] = length;
  std::ranges::fill(model.generator.weight.values(), std::log(1e-12) / (length * std::sqrt(8)));
  for (const auto& [previous, row] : bigrams)
    for (const auto& [next, probability] : row)
      model.generator.weight.data()[next * 8 + previous] = std::log(probability) / (length * std::sqrt(8));
  return model;
}

}  // namespace regard::tests
