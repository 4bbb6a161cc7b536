#pragma once

#include <vector>

#include "apps/translation/corpus/corpus.h"
#include "transformer/attention_layers.h"

namespace regard::translation {

/// The mean of -log p per target token of a corpus, </s> counted. The model must be in evaluation mode.
double mean_loss(transformer::EncoderDecoder& model, const ParallelCorpus& corpus);

/// How much worse a model becomes without each of its heads (Michel et al. 2019, section 3.2).
struct HeadImportance {
  struct WithoutHead {
    nn::Head head;
    transformer::AttentionKind kind;  ///< of its attention
    double loss;                      ///< of the corpus without this head
  };
  double loss = 0;                 ///< of the whole model
  std::vector<WithoutHead> heads;  ///< the greatest loss first
};

/// Computes the loss of a corpus with the whole model, and once without each head of each attention. The
/// model must be in evaluation mode. Throws Error if it has no attention.
HeadImportance head_importance(transformer::EncoderDecoder& model, const ParallelCorpus& corpus);

}  // namespace regard::translation
