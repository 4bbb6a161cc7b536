#include "transformer/model.h"

#include "autograd/error.h"
#include "autograd/ops/linear.h"
#include "nn/initialisers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

namespace {

const Config& validated(const Config& config) {
  validate(config);
  return config;
}

nn::Embedding target_embedding(const Config& config, const nn::Embedding& source, Random& random) {
  if (config.shared_embeddings == SharedEmbeddings::all) return nn::Embedding(source.weight);
  return {config.target_vocabulary, config.d_model, random};
}

Tensor output_projection(const Config& config, const nn::Embedding& target, Random& random) {
  if (config.shared_embeddings != SharedEmbeddings::none) return target.weight;
  return nn::parameter(nn::xavier_uniform(config.target_vocabulary, config.d_model, random));
}

/// 0, 1, 2, … in each sentence.
std::vector<std::int32_t> positions(const PackedSequences& sequences) {
  std::vector<std::int32_t> result;
  result.reserve(sequences.ids.size());
  for (std::size_t i = 0; i + 1 < sequences.offsets.size(); ++i)
    for (Index row = sequences.offsets[i]; row < sequences.offsets[i + 1]; ++row)
      result.push_back(static_cast<std::int32_t>(row - sequences.offsets[i]));
  if (result.size() != sequences.ids.size())
    fail("a packed batch has {} tokens, but its offsets cover {}", sequences.ids.size(), result.size());
  return result;
}

}  // namespace

Transformer::Transformer(const Config& config, Random& random)
    : config_(validated(config)),
      src_embed(config.source_vocabulary, config.d_model, random),
      tgt_embed(target_embedding(config, src_embed, random)),
      generator(output_projection(config, tgt_embed, random)),
      positional_encoding(config.d_model),
      source_dropout(config.dropout.embedding),
      target_dropout(config.dropout.embedding),
      encoder(config, config.encoder_layers, random),
      decoder(config, config.decoder_layers, random) {}

Tensor Transformer::encode(const PackedSequences& source, AttentionWeights* weights) {
  const Segments segments = regard::segments(source.offsets, source.offsets);
  Tensor x = source_dropout(positional_encoding(src_embed(source.ids), positions(source)));
  if (weights != nullptr) weights->encoder_self.resize(encoder.layers.size());
  for (std::size_t i = 0; i < encoder.layers.size(); ++i)
    x = encoder.layers[i](x, segments, weights != nullptr ? &weights->encoder_self[i] : nullptr);
  return encoder.finish(x);
}

Tensor Transformer::embed_target(std::span<const std::int32_t> ids, std::span<const std::int32_t> positions) {
  return target_dropout(positional_encoding(tgt_embed(ids), positions));
}

Tensor Transformer::decode(const PackedSequences& target, const Tensor& memory, const PackedSequences& source,
                           AttentionWeights* weights) {
  const Segments target_segments = regard::segments(target.offsets, target.offsets);
  const Segments source_segments = regard::segments(target.offsets, source.offsets);
  Tensor x = embed_target(target.ids, positions(target));
  if (weights != nullptr) weights->decoder.resize(decoder.layers.size());
  for (std::size_t i = 0; i < decoder.layers.size(); ++i)
    x = decoder.layers[i](x, memory, target_segments, source_segments,
                          weights != nullptr ? &weights->decoder[i] : nullptr);
  return decoder.finish(x);
}

Tensor Transformer::project(const Tensor& hidden) const { return linear(hidden, generator, {}); }

Tensor Transformer::logits(const Batch& batch) {
  return project(decode(batch.target_input, encode(batch.source), batch.source));
}

Tensor Transformer::loss(const Batch& batch, const CrossEntropyOptions& options) {
  const Tensor hidden = decode(batch.target_input, encode(batch.source), batch.source);
  return linear_cross_entropy(hidden, generator, batch.target_output, options);
}

void Transformer::visit(nn::Visitor& visitor) {
  visitor("src_embed", src_embed);
  visitor("tgt_embed", tgt_embed);
  visitor("generator.weight", generator);
  visitor(source_dropout);
  visitor(target_dropout);
  visitor("encoder", encoder);
  visitor("decoder", decoder);
}

}}}  // namespace regard::REGARD_PRECISION::transformer
