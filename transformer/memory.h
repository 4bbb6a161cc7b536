#pragma once

#include <vector>

#include "autograd/index.h"
#include "autograd/planes.h"
#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

using regard::Plane;

/// The output of an encoder (Encoder::encode) and the input of a decoder (Decoder::decode and
/// Decoder::begin): one row per position of each source, packed like every batch here. For a sentence, a
/// position is a token.
struct Memory {
  Tensor rows;                 ///< [positions, width]
  std::vector<Index> offsets;  ///< source i has the rows offsets[i] .. offsets[i + 1]
  /// States from which a decoder may begin, [sources, width of the state] each, such as the last state of a
  /// recurrent encoder. Empty if the encoder has none.
  std::vector<Tensor> final_states = {};
  /// One entry per source if its positions lie in a plane, row by row, as those of an image; empty if they
  /// lie in a line.
  Planes planes = {};

  Index sources() const { return static_cast<Index>(offsets.size()) - 1; }
};

}}}  // namespace regard::REGARD_PRECISION::transformer
