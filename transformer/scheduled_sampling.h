#pragma once

#include "autograd/machine/random.h"
#include "autograd/machine/real.h"
#include "transformer/batch.h"
#include "transformer/encoder_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Scheduled sampling (Bengio et al. 2015), with two passes as Mihaylova and Martins 2019 do it for a
/// Transformer: a decoder that reads all tokens at once cannot read its own predictions in the same pass.
///
/// Runs the model over the batch without gradients and without dropout. Then replaces each token that the
/// decoder reads, except <s>, with probability `share` by the likeliest token at its place: y_t by
///   argmax over w of p(w | x, y_1 … y_(t-1)),
/// where <pad> and <s> are never predicted. The targets stay. The random numbers are a function of `stream`
/// (its layer is not used) and the place in the batch. If the logits are not finite, the batch stays as it
/// is.
///
/// The model must be in training mode, and is in training mode afterwards, also after an exception; the
/// dropouts of the next pass have the same random numbers as without this call. Throws Error unless
/// 0 <= share <= 1, and for a target vocabulary without </s>.
void replace_by_predictions(EncoderDecoder& model, Batch& batch, double share, RandomStream stream);

}}}  // namespace regard::REGARD_PRECISION::transformer
