#include "apps/experiments/measures/no_causal_mask.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "transformer/self_attention/transformer.h"

namespace regard::experiments {

namespace {

using namespace transformer;

class DecoderWithoutMask : public TransformerDecoder {
 public:
  using TransformerDecoder::TransformerDecoder;

  Tensor decode(const PackedSequences& target, const Memory& memory) override {
    const Segments targets = segments(target.offsets, target.offsets);
    const Segments sources = segments(target.offsets, memory.offsets);
    Tensor x = input(target);
    for (DecoderLayer& layer : stack.layers)
      x = layer.apply(
          x,
          [&](const Tensor& y) {
            return layer.self_attention.self(y, targets, MultiHeadAttention::Mask::none);
          },
          [&](const Tensor& y) {
            return layer.memory_attention.cross(y, layer.memory_attention.key_value(memory.rows), sources);
          });
    return stack.final_norm(x);
  }
};

EncoderDecoder make_without_mask(const translation::Settings& settings,
                                 const translation::Vocabularies& vocabularies, Random random) {
  Config config = settings.model.config;
  config.source_vocabulary = vocabularies.source.size();
  config.target_vocabulary = vocabularies.target.size();
  const Embeddings embeddings = make_embeddings(config.embeddings(), random);
  auto encoder = std::make_unique<TransformerEncoder>(config, embeddings.source, random);
  auto decoder = std::make_unique<DecoderWithoutMask>(config, embeddings.target, random);
  return {std::move(encoder), std::move(decoder), embeddings.generator};
}

}  // namespace

translation::MakeModel own_model(const Job& job) {
  const bool own = std::ranges::count(job.settings, "model.own=no_causal_mask") > 0;
  return own ? translation::MakeModel(make_without_mask) : translation::MakeModel();
}

}  // namespace regard::experiments
