#pragma once

#include <span>
#include <vector>

#include "autograd/machine/real.h"
#include "transformer/encoder_decoder.h"
#include "transformer/search/search.h"
#include "transformer/search/search_options.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Samples n_best translations of each sentence, token by token, and returns them in the order of the
/// samples; a translation may come several times. Log-probabilities are those of the model, as in a search:
/// temperature, top_k and top_p do not change them.
///
/// The random number of a token is a function of four things: the seed, the number of the sentence, the
/// number of the sample, and the position of the token. `sentence_numbers` are the numbers of the sentences,
/// such as their lines in a text; empty: 0, 1, 2, …
///
/// The model must be in evaluation mode. Throws Error for an option out of its range, and for logits that are
/// not finite.
std::vector<std::vector<Hypothesis>> sample_search(EncoderDecoder& model, const Source& source,
                                                   const SamplingOptions& options,
                                                   std::span<const Index> sentence_numbers = {});

}}}  // namespace regard::REGARD_PRECISION::transformer
