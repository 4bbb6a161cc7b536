#pragma once

#include <vector>

#include "autograd/index.h"
#include "nn/module.h"
#include "transformer/attention_weights.h"
#include "transformer/batch.h"
#include "transformer/memory.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Turns sources into a memory. To write one: compute the memory in encode(), say its width, and show the
/// parameters in visit() and visit_embedding().
class Encoder : public nn::Module {
 public:
  /// The memory of a batch of sources. `weights` receives the attention weights unless it is null.
  virtual Memory encode(const Source& source, AttentionWeights* weights) = 0;

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

}}}  // namespace regard::REGARD_PRECISION::transformer
