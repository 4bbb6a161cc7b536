#pragma once

#include "apps/translation/subwords/subword_sampler.h"

namespace regard::translation {

/// Subword regularisation (Kudo 2018, section 3.2): a segmentation x is drawn with probability P(x)^alpha,
/// normalised over the `n_best` most probable ones, or over all if `n_best` is negative. P is the model's.
/// The larger alpha, the more often the best one.
std::unique_ptr<SubwordSampler> unigram_sampler(const SubwordPieces& pieces, double alpha, Index n_best);

}  // namespace regard::translation
