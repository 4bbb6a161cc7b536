#pragma once

#include "autograd/ops/attention.h"
#include "autograd/ops/ranges.h"
#include "nn/attention_module.h"

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

/// attention(query, key, value, segments, options) with any normaliser in the place of the softmax. It is
/// made of operations on pairs of a query and a key (autograd/ops/ranges.h), so it takes several times as
/// long. `weights` receives the attention weights unless it is null. Throws Error unless the segments cover
/// all queries, in order, and every query sees a key.
Tensor attention_by_pairs(const ColumnSlice& query, const ColumnSlice& key, const ColumnSlice& value,
                          const Segments& segments, const AttentionOptions& options, Normaliser normaliser,
                          AttentionWeights* weights = nullptr);

}}}  // namespace regard::REGARD_PRECISION::nn
