#include "apps/translation/training/validation.h"

#include <cmath>

#include "apps/translation/training/training_data.h"

namespace regard::translation {

double Validation::score(ValidationMetric metric) const {
  switch (metric) {
    case ValidationMetric::bleu:
      return bleu.score;
    case ValidationMetric::exact_match:
      return evaluation.exact_match;
    case ValidationMetric::loss:
      break;
  }
  return evaluation.loss;
}

std::vector<std::string> Validation::lines(const ParallelCorpus& corpus) const {
  std::vector<std::string> lines(to_size(corpus.lines_read));
  for (std::size_t i = 0; i < translations.size(); ++i) lines[to_size(corpus.lines[i])] = translations[i];
  return lines;
}

Validation validate(transformer::EncoderDecoder& model, const TrainingData& data, const Settings& settings,
                    Processes& processes) {
  transformer::SearchOptions search = settings.decoding;
  search.beam = settings.validation.beam;
  Validation validation;
  validation.evaluation = evaluate(model, *data.validation, search, processes);
  if (!std::isfinite(validation.evaluation.loss)) return validation;
  for (const std::vector<std::int32_t>& ids : validation.evaluation.translations)
    validation.translations.push_back(data.tokeniser->join(data.vocabularies.target.tokens(ids)));
  validation.bleu = corpus_bleu(validation.translations, data.references, settings.validation.bleu);
  return validation;
}

}  // namespace regard::translation
