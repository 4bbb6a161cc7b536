#include "apps/regard/options/search_options.h"

#include "apps/regard/options/shared_options.h"
#include "apps/translation/settings/names.h"
#include "apps/translation/translator/in_batches.h"

namespace regard::program {

void add_length_penalty(const Command& command, Search& search) {
  command.option("--length-penalty", search.length_penalty,
                 "Divisor of a log-probability of n tokens. wu: ((5 + n)/6)^alpha; power: n^alpha");
  command.option("--alpha", search.alpha, "Exponent of the length penalty; 0: no penalty");
}

void add_search(const Command& command, Search& search) {
  command.option("--beam", search.beam, "Hypotheses kept at each step; 1: greedy search");
  add_length_penalty(command, search);
  command.option(
      "--patience", search.patience,
      "Stop when PATIENCE * beam translations are finished and no unfinished one has a better score; 0: "
      "stop when no unfinished one can become better");
  command.option("--max-length-ratio", search.max_length_ratio,
                 "A translation has at most RATIO * source tokens + CONSTANT tokens");
  command.option("--max-length-constant", search.max_length_constant, "The CONSTANT of --max-length-ratio");
  command.option("--min-length", search.min_length, "A translation has at least this many tokens");
  command.option("--max-length", search.max_length,
                 "A translation has at most this many tokens; 0: only --max-length-ratio limits it");
  command.option("--no-repeat-ngram", search.no_repeat_ngram,
                 "A translation never repeats a sequence of this many tokens; 0: it may repeat any");
  command.option("--repetition-penalty", search.repetition_penalty,
                 "A value above 1 makes tokens less likely that the translation already has");
  command.flag("--no-unk", search.no_unk, "Translate without <unk>; another word takes its place");
  add_threads(command, search.threads);
}

transformer::SearchOptions search_options(const Search& search, transformer::SearchOptions options) {
  set_given_threads(search.threads);
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
        value_of(translation::length_penalties, *search.length_penalty, "--length-penalty");
  return options;
}

void check_search(const transformer::SearchOptions& options, const translation::TranslationModel& model) {
  check(options);
  translation::check_beam("beam", options.beam, model.vocabularies.target.size());
}

}  // namespace regard::program
