#pragma once

#include "nn/layers.h"
#include "transformer/encoder_decoder.h"
#include "transformer/recurrent/recurrent_config.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Recurrent layers over the embeddings of the source. The memory is the output of the last layer: for a
/// bidirectional encoder h_j = [→h_j; ←h_j] (Bahdanau et al. 2015, section 3.2). Memory::final_states holds
/// the states after the last step, layer by layer, both directions side by side; for an LSTM each h is
/// followed by its c.
class RecurrentEncoder : public Encoder {
 public:
  RecurrentEncoder(const RecurrentConfig& config, const nn::Embedding& source, Random& random);

  Memory encode(const Source& source) override;
  Index width() const override { return rnn.width(); }
  std::vector<Index> state_widths() const override;
  void visit(nn::Visitor& visitor) override;
  void visit_embedding(nn::Visitor& visitor) override { visitor("src_embed", embedding); }

  nn::Embedding embedding;
  nn::Dropout dropout;
  nn::Recurrent rnn;
  bool reverse_source;
};

}}}  // namespace regard::REGARD_PRECISION::transformer
