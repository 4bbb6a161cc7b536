#pragma once

#include "apps/translation/corpus.h"
#include "transformer/search.h"

namespace regard::translation {

/// How well a model does on a corpus.
struct Evaluation {
  double loss = 0;         ///< mean cross-entropy of a target token, </s> included, without label smoothing
  double exact_match = 0;  ///< share of the sentences whose translation is the reference, token by token

  double perplexity() const;
};

/// The loss of the references, and the exact matches of a search, none if the loss is no number. The model is
/// put into evaluation mode.
Evaluation evaluate(transformer::Transformer& model, const ParallelCorpus& corpus,
                    const transformer::SearchOptions& options);

}  // namespace regard::translation
