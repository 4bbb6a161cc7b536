#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "autograd/checked_cast.h"
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

  /// The length of a source without its </s>, as batches and limits count it: the tokens of a sentence. An
  /// encoder of images counts the positions of the memory, because the number of pixels says nothing of the
  /// work for the decoder or the length of a caption.
  virtual Index length(std::span<const std::int32_t> source) const { return to_index(source.size()); }

  /// Width of the memory's rows.
  virtual Index width() const = 0;

  /// Widths of Memory::final_states.
  virtual std::vector<Index> state_widths() const { return {}; }

  /// Shows the embedding of the source, which the model calls src_embed and not encoder.src_embed.
  virtual void visit_embedding(nn::Visitor& /*visitor*/) {}
};

}}}  // namespace regard::REGARD_PRECISION::transformer
