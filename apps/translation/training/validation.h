#pragma once

#include <string>
#include <vector>

#include "apps/translation/metrics/bleu.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/translator/evaluation.h"

namespace regard::translation {

struct ParallelCorpus;
struct TrainingData;
class Processes;

/// The results of a model on the validation corpus.
struct Validation {
  Evaluation evaluation;
  Bleu bleu;
  std::vector<std::string> translations;  ///< as plain text

  /// Returns the score that compares validations.
  double score(ValidationMetric metric) const;
  /// Returns the translations, each in the line of its source. The lines of dropped pairs are empty.
  std::vector<std::string> lines(const ParallelCorpus& corpus) const;
};

/// Computes the loss of the validation corpus and translates it. The data must have one. The model is put
/// into evaluation mode. If the loss is not finite, nothing is translated.
/// With several processes, each computes a part and gets the whole result.
Validation validate(transformer::EncoderDecoder& model, const TrainingData& data, const Settings& settings,
                    Processes& processes);

}  // namespace regard::translation
