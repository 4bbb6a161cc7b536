#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/real.h"
#include "nn/module.h"
#include "nn/positional_encoding.h"
#include "nn/stored_numbers.h"
#include "transformer/self_attention/transformer_config.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

// The weights of MarianMT in Hugging Face's transformers (modeling_marian.py), to which the OPUS-MT models
// belong: a post-norm Transformer with a bias at the output.

/// The vocabulary of a file, whose tokens have other ids than ours.
struct StoredVocabulary {
  Index size;                      ///< rows of the file's matrices
  std::vector<std::int32_t> rows;  ///< the row of each of our ids; no_row: the file has none
};
constexpr std::int32_t no_row = -1;

/// Rows of a matrix or numbers of a vector, in the order of our ids. A row that the file lacks is 0.
Tensor in_our_order(const Tensor& stored, const std::vector<std::int32_t>& rows);

/// Where a file of MarianMT has the sines and cosines. They are `halves` unless it stores a table
/// (embed_positions.weight). Throws Error if its table is none of the layouts.
nn::SinusoidLayout positions_of_marian_mt(const nn::TensorFile& file, Index d_model);

/// Reads the parameters of a Transformer with this configuration, under our names. Throws Error that names
/// the file, the tensor and both shapes if one is missing or has another shape. A tensor without a place in
/// such a model is an error, too. Tokens that the file lacks get the bias never_predicted.
std::vector<nn::NamedParameter> parameters_of_marian_mt(const nn::TensorFile& file, const Config& config,
                                                        const StoredVocabulary& source,
                                                        const StoredVocabulary& target);

}}}  // namespace regard::REGARD_PRECISION::transformer
