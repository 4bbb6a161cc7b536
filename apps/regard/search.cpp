#include "apps/regard/search.h"

#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::program {

transformer::SearchOptions search_options(const Search& search, const translation::Settings& settings) {
  if (search.threads) set_threads(*search.threads);
  transformer::SearchOptions options = settings.decoding;
  options.beam = search.beam.value_or(options.beam);
  options.alpha = search.alpha.value_or(options.alpha);
  options.patience = search.patience.value_or(options.patience);
  options.max_length_ratio = search.max_length_ratio.value_or(options.max_length_ratio);
  options.max_length_constant = search.max_length_constant.value_or(options.max_length_constant);
  options.min_length = search.min_length.value_or(options.min_length);
  options.max_length = search.max_length.value_or(options.max_length);
  options.no_repeat_ngram = search.no_repeat_ngram.value_or(options.no_repeat_ngram);
  options.repetition_penalty = search.repetition_penalty.value_or(options.repetition_penalty);
  if (search.no_unk) options.generate_unk = false;
  if (search.length_penalty)
    options.length_penalty =
        chosen(translation::length_penalties, *search.length_penalty, "--length-penalty");
  return options;
}

void check_search(const transformer::SearchOptions& options, const translation::TranslationModel& model) {
  check(options);
  translation::check_beam("beam", options.beam, model.vocabularies.target.size());
}

}  // namespace regard::program
