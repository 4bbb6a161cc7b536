#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "autograd/index.h"
#include "nn/module.h"
#include "transformer/attention_weights.h"
#include "transformer/batch.h"
#include "transformer/memory.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// The tokens that a decoder reads next, and the hypothesis that they continue.
struct Continuation {
  /// In the first call the number of a source. In later calls the position of a continuation in the list of
  /// the call before.
  Index parent;
  std::vector<std::int32_t> tokens;
};

/// A batch of sources that is decoded step by step. Each source has any number of hypotheses; a step may
/// continue a hypothesis several times, reorder hypotheses, or drop some.
class DecodingState {
 public:
  explicit DecodingState(Index sources);
  virtual ~DecodingState() = default;

  /// Reads the tokens of each continuation and returns the decoder's output for all of them, packed
  /// [tokens, width]. Continuation i becomes hypothesis i of the next call. Continuations of one source must
  /// stand together, sources ascending. Throws Error otherwise, or for a parent that does not exist; then the
  /// state is as before. Records no gradients.
  Tensor advance(const std::vector<Continuation>& continuations);

 protected:
  /// Computes the output of advance(). `sources[i]` is the source of continuation i. The function also
  /// updates the decoder's own caches or states, so that entry i belongs to continuation i.
  virtual Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) = 0;

 private:
  std::vector<Index> sources_;  ///< of each hypothesis
};

/// A term that a training step adds to its loss. It gets the log-probability of each target token,
/// [target tokens], and the number of tokens by which the sums of the loss are divided.
using LossTerm = std::function<Tensor(const Tensor& log_probabilities, Index divide_by)>;

/// Turns a memory and the target tokens so far into one row per target token, from which the model predicts
/// the token after it. To write one: both ways of running it, its widths, and its parameters.
class Decoder : public nn::Module {
 public:
  /// Runs over given targets, all tokens at once: [target tokens, width()]. Target i looks at source i of the
  /// memory. `weights` receives the attention weights unless it is null.
  virtual Tensor decode(const PackedSequences& target, const Memory& memory, AttentionWeights* weights) = 0;

  /// decode() for a training step. A decoder that minimises more than the cross-entropy adds its terms to
  /// `terms`.
  virtual Tensor decode_to_train(const PackedSequences& target, const Memory& memory,
                                 std::vector<LossTerm>& /*terms*/) {
    return decode(target, memory, nullptr);
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

}}}  // namespace regard::REGARD_PRECISION::transformer
