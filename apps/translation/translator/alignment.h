#pragma once

#include <optional>
#include <vector>

#include "apps/translation/corpus/alignments.h"
#include "apps/translation/corpus/corpus.h"
#include "autograd/kernels/planes.h"
#include "autograd/tensor.h"
#include "transformer/batch.h"
#include "transformer/encoder_decoder.h"

namespace regard::translation {

/// The attention weights of the decoder to a source: [target tokens, source tokens], both with </s>; last
/// decoder layer, mean over the heads. Row i has the weights with which the decoder looked when it predicted
/// target token i. For a source in a plane, such as an image, [target tokens, height * width] of the plane in
/// which the positions of its memory lie, row by row.
struct SourceAttention {
  Tensor weights;
  std::optional<Plane> plane = {};
};

/// The attention weights of each pair of a batch. Throws Error if the model has no attention to the source,
/// or none to single source tokens or positions of a plane.
std::vector<SourceAttention> source_attention(transformer::EncoderDecoder& model,
                                              const transformer::Batch& batch);

/// Links each target token to the source token with the largest weight, the first of equal ones. </s> gets no
/// link, and a token that looked most at </s> gets none. The links are in the order of the target tokens.
/// `weights` are those of source_attention for a sentence.
Alignment strongest_links(const Tensor& weights);

/// The alignments of all pairs of a corpus by the model's attention (strongest_links), in the order of the
/// corpus. The decoder reads the given targets (forced decoding). The model must be in evaluation mode.
/// Throws Error as source_attention does, and for sources in a plane, which have no tokens.
std::vector<Alignment> align_all(transformer::EncoderDecoder& model, const ParallelCorpus& corpus);

}  // namespace regard::translation
