#pragma once

#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "transformer/search/scoring.h"

namespace regard::translation {

/// The scores of all pairs of a corpus, in its order; computed in batches of similar length. The model must
/// be in evaluation mode.
std::vector<transformer::ForcedScore> score_all(transformer::EncoderDecoder& model,
                                                const ParallelCorpus& corpus);

}  // namespace regard::translation
