#pragma once

#include <vector>

#include "transformer/encoder_decoder.h"

namespace regard { inline namespace REGARD_PRECISION { namespace transformer {

/// Several models as one, whose probabilities are the mean of theirs at each step:
///
///   p(y_t | y_<t, x) = 1/M sum_m p_m(y_t | y_<t, x)
///
/// (as Sutskever et al. 2014 and Sennrich et al. 2016 translate). Searches and scores know nothing of it. The
/// models must outlive it and be in evaluation mode; it has no parameters of its own. Its logits have the
/// log-sum-exp of the first model's, so models that are equal give their very logits. Throws Error without a
/// model, and if the target vocabularies differ in size.
EncoderDecoder ensemble_of(const std::vector<EncoderDecoder*>& models);

}}}  // namespace regard::REGARD_PRECISION::transformer
