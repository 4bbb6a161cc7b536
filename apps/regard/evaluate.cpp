#include <cmath>
#include <fmt/ranges.h>

#include "apps/regard/model_failures.h"
#include "apps/regard/scores.h"
#include "apps/regard/search.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/translator/evaluation.h"
#include "apps/translation/translator/translator.h"
#include "autograd/checked_cast.h"
#include "autograd/error.h"

namespace regard::program {

namespace {

using translation::ParallelCorpus;
using translation::ParallelText;
using translation::Translator;

/// What is compared, line by line.
struct Outputs {
  std::vector<std::string> hypotheses, references;
};

/// Translates sentences that are not too long for the model.
std::vector<std::string> best(Translator& translator, const std::vector<std::string>& sentences,
                              const transformer::SearchOptions& options) {
  std::vector<std::string> texts;
  for (const Translator::Result& result : translator.translate(sentences, options))
    texts.push_back(result.n_best.front().text);
  return texts;
}

/// The translations of all lines of a text. Those of the pairs come from their evaluation; of the others, a
/// source that is empty or too long for the model has an empty translation.
std::vector<std::string> translations(Translator& translator, const ParallelText& text,
                                      const ParallelCorpus& pairs, const translation::Evaluation& evaluation,
                                      const transformer::SearchOptions& options) {
  const translation::TranslationModel& model = translator.model();
  std::vector<std::string> result(text.source.size()), others;
  std::vector<std::size_t> lines_of_others;
  Index too_long = 0;
  for (std::size_t line = 0, pair = 0; line < text.source.size(); ++line) {
    if (pair < pairs.lines.size() && pairs.lines[pair] == to_index(line)) {
      result[line] = model.tokeniser->join(model.vocabularies.target.tokens(evaluation.translations[pair++]));
    } else if (!model.takes(model.tokeniser->split(text.source[line]).size())) {
      ++too_long;
    } else {
      others.push_back(text.source[line]);
      lines_of_others.push_back(line);
    }
  }
  std::vector<std::string> translated = best(translator, others, options);
  for (std::size_t i = 0; i < translated.size(); ++i) result[lines_of_others[i]] = std::move(translated[i]);
  if (too_long > 0)
    fmt::print("too long        {} sources of more than {} tokens; their translations are empty\n", too_long,
               model.settings.data.max_length);
  return result;
}

void print_unknown_words(const ParallelCorpus& pairs) {
  const translation::UnknownWords source = translation::count_unknown(pairs.source),
                                  target = translation::count_unknown(pairs.target);
  if (source.unknown + target.unknown > 0)
    fmt::print("unknown words   {} of {} source tokens, {} of {} reference tokens\n", source.unknown,
               source.tokens, target.unknown, target.tokens);
}

/// Lets the model translate, and prints what it alone can tell: loss, accuracy, exact matches.
Outputs translate(const Evaluate& command, const ParallelText& text) {
  Translator translator(translation::TranslationModel::load(command.model, command.weights));
  const translation::TranslationModel& model = translator.model();
  const transformer::SearchOptions options = search_options(command.search, model.settings);
  check_search(options, model);
  const ParallelCorpus pairs = encode(text, {*model.tokeniser, model.vocabularies.source,
                                             model.vocabularies.target, model.settings.data.max_length});
  if (pairs.dropped.total() > 0)
    fmt::print("left out        {} pairs with an empty side, {} too long\n", pairs.dropped.empty,
               pairs.dropped.too_long);
  print_unknown_words(pairs);
  const std::string& weights = weights_of(command.model, command.weights);
  const char* const remedy = search_remedy(options.beam);
  translation::Evaluation evaluation;
  run_model(weights, remedy, [&] { evaluation = evaluate(model.model, pairs, options); });
  if (!std::isfinite(evaluation.loss)) fail_astray(weights);
  fmt::print("sentences       {}\nloss            {:.4f}\nperplexity      {:.3f}\n", pairs.pairs(),
             evaluation.loss, evaluation.perplexity());
  fmt::print("token accuracy  {:.2f} %\nexact match     {:.2f} %\n", 100 * evaluation.token_accuracy,
             100 * evaluation.exact_match);
  Outputs outputs;
  run_model(weights, remedy,
            [&] { outputs.hypotheses = translations(translator, text, pairs, evaluation, options); });
  for (const std::string& reference : text.target)
    outputs.references.push_back(model.tokeniser->plain(reference));
  return outputs;
}

}  // namespace

int run(const Evaluate& command) {
  const translation::BleuOptions options{
      .tokeniser = chosen(translation::bleu_tokenisers, command.tokeniser, "--tokeniser"),
      .lowercase = command.lowercase};
  if (command.bootstrap.samples < 1)
    fail("--bootstrap-samples {}: give at least 1", command.bootstrap.samples);
  const bool has_model = !command.model.empty();
  if (!has_model && command.hypothesis.empty())
    fail("say what to evaluate: a MODEL_DIR with --source, or --hypothesis; see regard evaluate --help");
  if (has_model && command.source.empty())
    fail("--source is required with a MODEL_DIR; see regard evaluate --help");

  std::vector<std::string> inputs = translation::ModelDirectory(command.model).files_to_translate();
  for (const std::string& input : {command.source, command.reference, command.baseline, command.weights})
    inputs.push_back(input);
  translation::check_output("--output", command.output, inputs);
  // All files are read before a model translates for minutes.
  const ParallelText text =
      translation::read_parallel_files(has_model ? command.source : command.hypothesis, command.reference);
  std::vector<std::string> baseline;
  if (!command.baseline.empty()) {
    baseline = translation::read_sentences(command.baseline);
    translation::check_line_counts(command.baseline, baseline.size(), command.reference, text.target.size());
  }

  if (!has_model) fmt::print("sentences       {}\n", text.target.size());
  const Outputs outputs = has_model ? translate(command, text) : Outputs{text.source, text.target};
  const Scored scored(outputs.hypotheses, outputs.references, options);
  print_scores(scored, outputs.references, options);
  if (has_model && !command.output.empty())  // after the scores: where it cannot be written, they are there
    translation::write_file(command.output, fmt::format("{}\n", fmt::join(outputs.hypotheses, "\n")));
  if (!baseline.empty())
    print_comparison(scored, Scored(baseline, outputs.references, options), command.bootstrap);
  return 0;
}

}  // namespace regard::program
