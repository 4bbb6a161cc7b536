#pragma once

#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/training/training_data.h"
#include "apps/translation/translator/evaluation.h"

namespace regard::translation {

/// How the weights of a moment do on the validation corpus.
struct Validation {
  Evaluation evaluation;
  Bleu bleu;
  std::vector<std::string> translations;  ///< as plain text

  /// The number by which validations are compared.
  double score(ValidationMetric metric) const;
};

/// Translates the validation corpus, which there must be. The model is put into evaluation mode. If the loss
/// is no number, nothing is translated.
Validation validate(transformer::EncoderDecoder& model, const TrainingData& data, const Settings& settings);

}  // namespace regard::translation
