#include "apps/regard/options.h"

#include <fmt/ranges.h>

#include "apps/translation/settings/names.h"
#include "apps/translation/translator/in_batches.h"
#include "autograd/parallel.h"

namespace regard::program {

void add_threads(const Command& command, std::optional<int>& threads) {
  command.option("--threads", threads, "Number of threads to compute with; default: all processors");
}

void set_given_threads(const std::optional<int>& threads) {
  if (threads) set_threads(*threads);
}

void add_weights(const Command& command, std::string& weights) {
  command.option(
      "--weights", weights,
      "Use the weights of this file, not those of MODEL_DIR: a checkpoint, or the output of regard "
      "average");
}

void add_training(const Command& command, bench::TrainingSettings& settings) {
  command
      .option("--preset", settings.preset,
              fmt::format("Preset of the model: {}", fmt::join(translation::preset_names, ", ")))
      .show_default();
  command
      .option("--set", settings.overrides,
              "Replace a setting of the model: model.d_model=64; or training.gradient_clip_norm, to clip "
              "the gradients; may be given several times")
      .value_name("KEY=VALUE");
  command.option("--source", settings.source, "Sentences, one per line, words separated by blanks");
  command.option("--target", settings.target, "Their translations, one per line");
  command
      .option("--image-size", settings.image_size,
              "A model that reads images: height and width of its random images, which replace the corpus")
      .show_default();
  command.option("--batch-images", settings.batch_images, "A model that reads images: images per batch")
      .show_default();
  command.option(
      "--batches", settings.batches,
      "File with one batch per line: a JSON list of line numbers (from 0); default: regard makes the "
      "batches");
  command.option("--batch-tokens", settings.batch_tokens, "Tokens of a batch that regard makes")
      .show_default();
  command.option("--steps", settings.steps, "Number of steps to measure").show_default();
  command.option("--warmup-steps", settings.warmup_steps, "Number of steps before them, not measured")
      .show_default();
  command.option("--dropout", settings.dropout, "Value of all dropout rates of the model").show_default();
  command.off_flag("--no-final-norm", settings.final_norm,
                   "Transformer: leave out the LayerNorm after the last layer of encoder and decoder");
}

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
