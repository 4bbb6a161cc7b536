#pragma once

#include <cstdint>
#include <vector>

#include "transformer/encoder_decoder.h"
#include "transformer/search/search_options.h"

namespace regard::translation {

struct ParallelCorpus;

/// How well a model does on a corpus.
struct Evaluation {
  double loss = 0;  ///< mean cross-entropy of a target token, </s> included, without label smoothing
  /// Share of the target tokens, </s> included, that the model finds most likely when it is given the
  /// reference up to there. Unknown words count among the tokens, and are never found: <unk> is any of them.
  double token_accuracy = 0;
  /// Share of the sentences whose translation is the reference, token by token; none is whose reference has
  /// an unknown word.
  double exact_match = 0;
  std::vector<std::vector<std::int32_t>> translations = {};  ///< the best of each pair's source, without </s>

  double perplexity() const;
};

/// Loss and token accuracy of the references, and what a search finds; none of the others if the loss is no
/// number. The model is put into evaluation mode.
Evaluation evaluate(transformer::EncoderDecoder& model, const ParallelCorpus& corpus,
                    const transformer::SearchOptions& options);

}  // namespace regard::translation
