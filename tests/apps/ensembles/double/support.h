#pragma once

// What the tests of ensembles share: their ranking of all translations, by plain loops.

#include <algorithm>
#include <cmath>

#include "apps/ensembles/ensemble.h"
#include "tests/catch.h"
#include "tests/transformer/search/search_support.h"
#include "transformer/teacher_forcing.h"

namespace regard::tests {

inline constexpr Index ensemble_vocabulary = 6;
inline constexpr std::size_t most_ensemble_tokens = 3;

/// A search that keeps everything.
inline SearchOptions search_of_everything() {
  return {.beam = 300,
          .n_best = 300,
          .alpha = 0.6,
          .patience = 0,
          .max_length_ratio = 0,
          .max_length_constant = static_cast<Index>(most_ensemble_tokens)};
}

inline std::vector<EncoderDecoder*> pointers_to(std::vector<EncoderDecoder>& models) {
  std::vector<EncoderDecoder*> pointers;
  for (EncoderDecoder& model : models) pointers.push_back(&model);
  return pointers;
}

/// log p(tokens </s> | source), where the probability of each token is the mean of the models'; or where its
/// log-probability is their mean.
inline double naive_ensemble(std::vector<EncoderDecoder>& models, const Ids& source, const Ids& translation,
                             bool of_logarithms = false) {
  const Ids tokens = enclosed({}, translation, {sentence_end_id});
  const auto count = static_cast<double>(models.size());
  double log_probability = 0;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    double mean = 0, mean_logarithm = 0;
    for (EncoderDecoder& model : models) {
      const Numbers logits = next_logits(model, source, Ids(tokens.begin(), tokens.begin() + to_index(t)));
      double sum = 0;
      for (const double logit : logits) sum += std::exp(logit);
      const double probability = std::exp(logits[to_size(tokens[t])]) / sum;
      mean += probability / count;
      mean_logarithm += std::log(probability) / count;
    }
    log_probability += of_logarithms ? mean_logarithm : std::log(mean);
  }
  return log_probability;
}

inline std::vector<Scored> ensemble_ranking(std::vector<EncoderDecoder>& models, const Ids& source,
                                            bool of_logarithms = false) {
  std::vector<Scored> all;
  for (const Ids& tokens : everything(most_ensemble_tokens, ensemble_vocabulary))
    all.push_back({tokens, naive_ensemble(models, source, tokens, of_logarithms) /
                               penalty(search_of_everything(), tokens.size())});
  std::ranges::sort(all, std::greater<>(), &Scored::score);
  return all;
}

/// Searches with the ensemble and compares with everything.
inline void check_ensemble(std::vector<EncoderDecoder>& models, const std::vector<Ids>& sources) {
  EncoderDecoder ensemble = ensemble_of(pointers_to(models));
  const auto found = beam_search(ensemble, pack_sources(sources), search_of_everything());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::vector<Scored> expected = ensemble_ranking(models, sources[i]);
    REQUIRE(found[i].size() == expected.size());
    check_ranking(found[i], expected);
  }
}

}  // namespace regard::tests
