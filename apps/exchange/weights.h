#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "apps/exchange/names.h"
#include "nn/positions.h"
#include "nn/stored_numbers.h"

namespace regard { inline namespace REGARD_PRECISION { namespace foreign {

/// The vocabulary of a file, whose tokens have other ids than ours.
struct StoredVocabulary {
  Index size;                      ///< rows of the file's matrices
  std::vector<std::int32_t> rows;  ///< the row of each of our ids; no_row: the file has none
};
constexpr std::int32_t no_row = -1;

/// Row or number rows[i] of a matrix or vector becomes row i. A row that it lacks (no_row) is 0.
Tensor in_order(const Tensor& stored, const std::vector<std::int32_t>& rows);

/// Where a file of MarianMT has the sines and cosines. They are `halves` unless it stores a table
/// (embed_positions.weight). Throws Error if its table is none of the layouts.
nn::SinusoidLayout positions_of_marian_mt(const nn::TensorFile& file, Index d_model);

/// The encodings of M2M100's positions, [positions, d_model]: sines, from position 2 on. They are rows of
/// learned positions here.
Tensor positions_of_m2m100(Index positions, Index d_model);

/// Reads the parameters of a Transformer with this configuration and kind of decoder (for_each_part), under
/// our names, from a file of MarianMT, M2M100 (which has learned positions here) or Marian. Throws Error that
/// names the file, the tensor and both shapes if one is missing or has another shape. A tensor without a
/// place in such a model is an error, too. Tokens that the file lacks get the bias
/// transformer::never_predicted.
std::map<std::string, Tensor> read_parameters(Program program, const nn::TensorFile& file,
                                              const transformer::Config& config,
                                              std::string_view decoder_kind, const StoredVocabulary& source,
                                              const StoredVocabulary& target);

}}}  // namespace regard::REGARD_PRECISION::foreign
