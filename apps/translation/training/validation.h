#pragma once

#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/translator/evaluation.h"

namespace regard::translation {

struct ParallelCorpus;
struct TrainingData;

/// The result of weights on the validation corpus.
struct Validation {
  Evaluation evaluation;
  Bleu bleu;
  std::vector<std::string> translations;  ///< as plain text

  /// The number by which validations are compared.
  double score(ValidationMetric metric) const;
  /// The translations, each in the line of its source. Lines of pairs that were left out are empty.
  std::vector<std::string> lines(const ParallelCorpus& corpus) const;
};

/// Computes the loss of the validation corpus and translates it. The data must have one. The model is put
/// into evaluation mode. If the loss is not finite, nothing is translated.
Validation validate(transformer::EncoderDecoder& model, const TrainingData& data, const Settings& settings);

}  // namespace regard::translation
