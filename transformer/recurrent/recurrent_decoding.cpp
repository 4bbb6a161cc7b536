#include "transformer/recurrent/recurrent_decoding.h"

#include <utility>

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

RecurrentDecodingState::RecurrentDecodingState(RecurrentDecoder& decoder, const Memory& memory)
    : DecodingState(memory.sources()),
      decoder_(decoder),
      memory_(decoder.prepare(memory)),
      state_(decoder.first_state(memory)),
      positions_(to_size(memory.sources()), 0) {}

Tensor RecurrentDecodingState::step(const std::vector<Continuation>& continuations,
                                    const std::vector<Index>& sources) {
  PackedSequences tokens;
  std::vector<std::int32_t> parents, positions;
  for (const Continuation& continuation : continuations) {
    tokens.append(continuation.tokens);
    parents.push_back(static_cast<std::int32_t>(continuation.parent));
    positions.push_back(positions_[to_size(continuation.parent)]);
  }
  RecurrentDecoder::State state = take_rows(state_, parents);
  Tensor rows =
      decoder_.run({tokens, sources, positions, memory_}, state, RecurrentDecoder::Keep::last_state, {});
  for (std::size_t i = 0; i < positions.size(); ++i)
    positions[i] += static_cast<std::int32_t>(continuations[i].tokens.size());
  state_ = std::move(state);
  positions_ = std::move(positions);
  return rows;
}

}}}  // namespace regard::REGARD_PRECISION::transformer
