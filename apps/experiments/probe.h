#pragma once

#include <cstdint>
#include <vector>

#include "transformer/encoder_decoder.h"

// What the rows of an encoder say, found by linear probes.

namespace regard::experiments {

/// The rows of a Transformer's encoder after the embedding and after each layer, [source tokens, d_model].
std::vector<Tensor> rows_by_layer(transformer::EncoderDecoder& model, const transformer::Source& source);

/// Trains a linear layer to tell the label of a row, with the first two thirds of rows[rows, width], and
/// returns the share of right answers for the others, in %. Rows with a label below 0 are left out.
double linear_probe(const Tensor& rows, const std::vector<std::int32_t>& labels, Index steps = 200);

}  // namespace regard::experiments
