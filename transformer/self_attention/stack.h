#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autograd/index.h"
#include "nn/layers.h"
#include "transformer/self_attention/config.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Layers one after another and, if the configuration has one, a LayerNorm after the last.
template <class Layer>
class Stack : public nn::Module {
 public:
  Stack(const Config& config, Index depth, Random& random) {
    for (Index i = 0; i < depth; ++i) layers.emplace_back(config, random);
    if (config.has_final_norm()) norm.emplace(config.d_model);
  }

  /// Runs x through all layers: x = run(layer, its number, x) for each of them.
  template <class Run>
  Tensor operator()(Tensor x, Run&& run) {
    for (std::size_t i = 0; i < layers.size(); ++i) x = run(layers[i], i, x);
    return norm ? (*norm)(x) : x;
  }

  void visit(nn::Visitor& visitor) override {
    visitor("layers", layers);
    if (norm) visitor("norm", *norm);
  }

  std::vector<Layer> layers;
  std::optional<nn::LayerNorm> norm;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
