#include "transformer/ssru/ssru_decoder.h"

#include <utility>

#include "autograd/ops.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

SsruDecoderLayer::SsruDecoderLayer(const Config& config, Random& random)
    : ssru(config.d_model, random),
      memory_attention(config.memory_attention(), random),
      feed_forward(config.d_model, config.d_ff, config.dropout.feed_forward, random, config.activation),
      residual1(config),
      residual2(config),
      residual3(config) {}

Tensor SsruDecoderLayer::operator()(const Tensor& x, const std::vector<Index>& offsets, Tensor* state,
                                    const MultiHeadAttention::KeyValue& memory, const Segments& sources) {
  const Tensor y = residual1(x, [&](const Tensor& rows) {
    const Tensor c = ssru.cells(rows, state != nullptr ? *state : Tensor{}, offsets);
    if (state != nullptr) {
      std::vector<std::int32_t> last;
      for (std::size_t i = 1; i < offsets.size(); ++i)
        last.push_back(static_cast<std::int32_t>(offsets[i] - 1));
      *state = gather(c, 0, last);
    }
    return relu(c);
  });
  const Tensor z =
      residual2(y, [&](const Tensor& rows) { return memory_attention.cross(rows, memory, sources); });
  return residual3(z, feed_forward);
}

void SsruDecoderLayer::visit(nn::Visitor& visitor) {
  visitor("ssru", ssru);
  visitor("multihead_attn", memory_attention);
  feed_forward.visit(visitor);
  residual1.visit_norm(visitor, "norm1");
  residual2.visit_norm(visitor, "norm2");
  residual3.visit_norm(visitor, "norm3");
  visitor(residual1.dropout);
  visitor(residual2.dropout);
  visitor(residual3.dropout);
}

Tensor SsruDecoder::decode(const PackedSequences& target, const Memory& memory) {
  const Segments sources = segments(target.offsets, memory.offsets);
  Tensor x = input(target);
  for (SsruDecoderLayer& layer : stack.layers)
    x = layer(x, target.offsets, nullptr, layer.memory_attention.key_value(memory.rows), sources);
  return stack.final_norm(x);
}

namespace {

/// Decoding step by step. Each layer keeps the keys and values of the memory, which the hypotheses of a
/// source share, and the c of each hypothesis.
class SsruDecodingState : public DecodingState {
 public:
  SsruDecodingState(SsruDecoder& decoder, const Memory& memory)
      : DecodingState(memory.sources()),
        decoder_(decoder),
        memory_offsets_(memory.offsets),
        lengths_(to_size(memory.sources())) {
    for (const SsruDecoderLayer& layer : decoder.stack.layers)
      layers_.push_back({layer.memory_attention.key_value(memory.rows),
                         Tensor::zeros({memory.sources(), decoder.width()})});
  }

 protected:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) override;

 private:
  struct Layer {
    MultiHeadAttention::KeyValue memory;
    Tensor cells;  ///< [hypotheses, d_model]
  };

  SsruDecoder& decoder_;
  std::vector<Index> memory_offsets_;
  std::vector<Layer> layers_;
  std::vector<std::int32_t> lengths_;  ///< tokens that each hypothesis has read
};

Tensor SsruDecodingState::step(const std::vector<Continuation>& continuations,
                               const std::vector<Index>& sources) {
  PackedSequences tokens;
  Segments looks;
  std::vector<std::int32_t> parents, lengths, positions;
  for (std::size_t i = 0; i < continuations.size(); ++i) {
    const Index begin = tokens.tokens();
    tokens.append(continuations[i].tokens);
    parents.push_back(static_cast<std::int32_t>(continuations[i].parent));
    lengths.push_back(lengths_[to_size(continuations[i].parent)]);
    while (to_index(positions.size()) < tokens.tokens()) positions.push_back(lengths.back()++);
    // The hypotheses of one source look at its memory together.
    if (i > 0 && sources[i - 1] == sources[i])
      looks.back().query_end = tokens.tokens();
    else
      looks.push_back({begin, tokens.tokens(), memory_offsets_[to_size(sources[i])],
                       memory_offsets_[to_size(sources[i]) + 1]});
  }
  lengths_ = std::move(lengths);

  Tensor x = decoder_.input(tokens.ids, positions);
  auto kept = layers_.begin();
  for (SsruDecoderLayer& layer : decoder_.stack.layers) {
    kept->cells = gather(kept->cells, 0, parents);
    x = layer(x, tokens.offsets, &kept->cells, kept->memory, looks);
    ++kept;
  }
  return decoder_.stack.final_norm(x);
}

}  // namespace

std::unique_ptr<DecodingState> SsruDecoder::begin(const Memory& memory) {
  return std::make_unique<SsruDecodingState>(*this, memory);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
