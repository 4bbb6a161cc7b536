#pragma once

#include "apps/translation/subwords/subword_sampler.h"

namespace regard::translation {

/// BPE-dropout (Provilkov et al. 2020, algorithm 1): byte-pair encoding, word by word, in which each possible
/// merge is left out with this probability each time that the best one is sought. 0 cuts as the model does, 1
/// into characters.
std::unique_ptr<SubwordSampler> bpe_dropout(const SubwordPieces& pieces, double probability);

}  // namespace regard::translation
