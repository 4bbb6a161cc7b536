#pragma once

#include <cstddef>
#include <vector>

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The attention weights of one layer: for each sentence a tensor [heads, queries, keys] whose rows sum to 1.
using LayerAttention = std::vector<Tensor>;

/// The attention weights of a model, layer by layer. A list is empty where a model has no such attention.
struct AttentionWeights {
  std::vector<LayerAttention> encoder_self;  ///< source positions look at source positions
  std::vector<LayerAttention> decoder_self;  ///< target tokens look at the target tokens before them
  std::vector<LayerAttention> memory;        ///< target tokens look at source positions
};

/// The place for the weights of one layer in a list of layers; null if the list is null.
inline LayerAttention* layer_of(std::vector<LayerAttention>* layers, std::size_t layer) {
  if (layers == nullptr) return nullptr;
  if (layers->size() <= layer) layers->resize(layer + 1);
  return &(*layers)[layer];
}

}}}  // namespace regard::REGARD_PRECISION::transformer
