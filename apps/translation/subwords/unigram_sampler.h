#pragma once

#include "apps/translation/subwords/subword_sampler.h"

namespace regard::translation {

/// Makes a sampler for subword regularisation (Kudo 2018, section 3.2). It draws a segmentation x with
/// probability P(x)^alpha, normalised over the `n_best` most probable segmentations, or over all if `n_best`
/// is negative. P is the probability of the model. A larger alpha draws the best segmentation more often.
std::unique_ptr<SubwordSampler> unigram_sampler(const SubwordPieces& pieces, double alpha, Index n_best);

}  // namespace regard::translation
