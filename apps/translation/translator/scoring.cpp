#include "apps/translation/translator/scoring.h"

#include "apps/translation/corpus/batching.h"

namespace regard::translation {

std::vector<transformer::ForcedScore> score_all(transformer::EncoderDecoder& model,
                                                const ParallelCorpus& corpus) {
  std::vector<transformer::ForcedScore> result(corpus.source.size());
  for (const auto& pairs : plan_epoch(pair_lengths(corpus), {.tokens = 4096}, 1, 1)) {
    std::vector<transformer::ForcedScore> scores = score(model, make_batch(corpus, pairs));
    for (std::size_t i = 0; i < pairs.size(); ++i) result[pairs[i]] = std::move(scores[i]);
  }
  return result;
}

}  // namespace regard::translation
