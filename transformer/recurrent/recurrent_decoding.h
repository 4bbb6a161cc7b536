#pragma once

#include <vector>

#include "transformer/recurrent/recurrent_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Decoding with a recurrent decoder. A hypothesis is a row of the state, so to continue a hypothesis twice,
/// to reorder hypotheses or to drop some takes rows of the state.
class RecurrentDecodingState : public DecodingState {
 public:
  RecurrentDecodingState(RecurrentDecoder& decoder, const Memory& memory);

 protected:
  Tensor step(const std::vector<Continuation>& continuations, const std::vector<Index>& sources) override;

 private:
  RecurrentDecoder& decoder_;
  RecurrentDecoder::PreparedMemory memory_;
  RecurrentDecoder::State state_;
  std::vector<std::int32_t> positions_;  ///< tokens that each hypothesis has read
};

}}}  // namespace regard::REGARD_PRECISION::transformer
