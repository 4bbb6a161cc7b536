#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "autograd/ops.h"
#include "nn/module.h"
#include "transformer/batch.h"
#include "transformer/embeddings.h"

// The interface of every model: Encoder, Decoder, and EncoderDecoder, which joins them.

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Turns sources into a memory. To write one: compute the memory in encode(), say its width, and show the
/// parameters in visit() and visit_embedding(); apps/examples/my_encoder.h is an example.
class Encoder : public nn::Module {
 public:
  /// The memory of a batch of sources.
  virtual Memory encode(const Source& source) = 0;

  /// Width of the memory's rows.
  virtual Index width() const = 0;

  /// Widths of Memory::final_states.
  virtual std::vector<Index> state_widths() const { return {}; }

  /// The length of a source, by which a search limits the length of its translations: for a sentence, its
  /// tokens without </s>. An encoder of images returns the positions of the memory.
  virtual Index length(const Source& source, Index i) const { return source.length(i) - 1; }

  /// Shows the embedding of the source, which the model calls src_embed and not encoder.src_embed.
  virtual void visit_embedding(nn::Visitor& /*visitor*/) {}
};

/// The tokens that a decoder reads next, and the hypothesis that they continue.
struct Continuation {
  /// In the first call the number of a source. In later calls the position of a continuation in the list of
  /// the call before.
  Index parent;
  std::vector<std::int32_t> tokens;  ///< at least one
};

/// A batch of sources that is decoded step by step. Each source has any number of hypotheses; a step may
/// continue a hypothesis several times, reorder hypotheses, or drop some.
class DecodingState {
 public:
  explicit DecodingState(Index sources);
  virtual ~DecodingState() = default;

  /// Reads the tokens of each continuation and returns the decoder's output for all of them, packed
  /// [tokens, width]. Continuation i becomes hypothesis i of the next call. Continuations of one source must
  /// stand together, sources ascending. Throws Error otherwise, and for a parent that does not exist or no
  /// token; then the state is as before. Records no gradients.
  Tensor advance(const std::vector<Continuation>& continuations);

 protected:
  /// Computes the output of advance(). `sources[i]` is the source of continuation i. The function also
  /// updates the decoder's own caches or states, so that entry i belongs to continuation i.
  virtual Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) = 0;

 private:
  std::vector<Index> sources_;  ///< of each hypothesis
};

/// Turns a memory and the target tokens so far into one row per target token, from which the model predicts
/// the token after it. To write one: both ways of running it, its widths, and its parameters.
class Decoder : public nn::Module {
 public:
  /// Runs over given targets, all tokens at once: [target tokens, width()]. Target i looks at source i of the
  /// memory.
  virtual Tensor decode(const PackedSequences& target, const Memory& memory) = 0;

  /// What training minimises: the mean cross-entropy of the target tokens. A decoder that minimises something
  /// else computes it here.
  virtual Tensor loss(const Batch& batch, const Memory& memory, const Generator& generator,
                      const CrossEntropyOptions& options) {
    return generator.cross_entropy(decode(batch.target_input, memory), batch.target_output, options);
  }

  /// Begins to decode step by step. The decoder must outlive the state and be in evaluation mode.
  virtual std::unique_ptr<DecodingState> begin(const Memory& memory) = 0;

  /// Width of the output's rows.
  virtual Index width() const = 0;
  /// Width of the memory's rows that the decoder reads.
  virtual Index memory_width() const = 0;

  /// Shows the embedding of the target, which the model calls tgt_embed and not decoder.tgt_embed.
  virtual void visit_embedding(nn::Visitor& /*visitor*/) {}
};

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
  /// The weight of the projection to the vocabulary may be the target's embedding, or missing (Generator).
  /// Models may share parts.
  /// Throws Error naming both widths if the parts do not fit together.
  EncoderDecoder(std::shared_ptr<Encoder> encoder, std::shared_ptr<Decoder> decoder, Generator projection);

  /// What training minimises: the mean cross-entropy of the target tokens, unless the decoder says otherwise
  /// (Decoder::loss). The matrix of all logits never exists.
  Tensor loss(const Batch& batch, const CrossEntropyOptions& options = {}) {
    return decoder_->loss(batch, encode(batch.source), generator, options);
  }
  /// logits[target tokens, target vocabulary]
  Tensor logits(const Batch& batch) { return generator(hidden(batch)); }

  /// The decoder's output for the targets of a batch, [target tokens, width].
  Tensor hidden(const Batch& batch) { return decode(batch.target_input, encode(batch.source)); }
  /// The memory of these sources: Encoder::encode.
  Memory encode(const Source& source) { return encoder_->encode(source); }
  /// The decoder's output for these targets, [target tokens, width]: Decoder::decode.
  Tensor decode(const PackedSequences& target, const Memory& memory) {
    return decoder_->decode(target, memory);
  }

  /// Encodes the sources and begins to decode them step by step. The model must outlive the state and be in
  /// evaluation mode.
  std::unique_ptr<DecodingState> begin(const Source& source);

  void visit(nn::Visitor& visitor) override;

  Encoder& encoder() { return *encoder_; }  ///< the part that reads sources
  Decoder& decoder() { return *decoder_; }  ///< the part that reads the memory and writes
  /// The number of tokens that it can write.
  Index target_vocabulary() const { return generator.weight ? generator.weight.size(0) : decoder_->width(); }

  Generator generator;

 private:
  std::shared_ptr<Encoder> encoder_;
  std::shared_ptr<Decoder> decoder_;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
