#pragma once

#include <memory>

#include "autograd/ops/cross_entropy.h"
#include "transformer/decoder.h"
#include "transformer/encoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// A model that turns sources into target sentences:
///
///   source -> encoder -> memory -> decoder -> rows [target tokens, width] -> projection -> logits
///                                     ^
///                               target tokens
///
/// It knows nothing of its encoder and its decoder but their interfaces. Loss, scores, search and sampling
/// are written once, for this class.
class EncoderDecoder : public nn::Module {
 public:
  /// `generator`[target vocabulary, width] is the projection to the vocabulary, without a bias; it may be the
  /// target's embedding. Throws Error naming both widths if the parts do not fit together.
  EncoderDecoder(std::unique_ptr<Encoder> encoder, std::unique_ptr<Decoder> decoder, Tensor generator);

  /// Mean cross-entropy of the target tokens, and the terms that the decoder adds (Decoder::decode_to_train);
  /// training minimises it. The matrix of all logits never exists.
  Tensor loss(const Batch& batch, const CrossEntropyOptions& options = {});
  /// logits[target tokens, target vocabulary]
  Tensor logits(const Batch& batch) { return project(hidden(batch)); }

  /// The decoder's output for the targets of a batch, [target tokens, width].
  Tensor hidden(const Batch& batch, AttentionWeights* weights = nullptr);
  Memory encode(const Source& source, AttentionWeights* weights = nullptr);
  Tensor decode(const PackedSequences& target, const Memory& memory, AttentionWeights* weights = nullptr);
  /// logits[rows, target vocabulary] of rows of the decoder's output.
  Tensor project(const Tensor& hidden) const;

  /// Encodes the sources and begins to decode them step by step. The model must outlive the state and be in
  /// evaluation mode.
  std::unique_ptr<DecodingState> begin(const Source& source);

  void visit(nn::Visitor& visitor) override;

  Encoder& encoder() { return *encoder_; }
  Decoder& decoder() { return *decoder_; }
  Index target_vocabulary() const { return generator.size(0); }

  Tensor generator;

 private:
  std::unique_ptr<Encoder> encoder_;
  std::unique_ptr<Decoder> decoder_;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
