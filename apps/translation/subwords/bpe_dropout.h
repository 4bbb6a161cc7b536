#pragma once

#include "apps/translation/subwords/subword_sampler.h"

namespace regard::translation {

/// Makes a sampler for BPE-dropout (Provilkov et al. 2020, algorithm 1). It applies byte-pair encoding to
/// each word. Each time it looks for the best merge, it skips each possible merge with this probability. With
/// 0, the text is cut as the model cuts it; with 1, into characters.
std::unique_ptr<SubwordSampler> bpe_dropout(const SubwordPieces& pieces, double probability);

}  // namespace regard::translation
