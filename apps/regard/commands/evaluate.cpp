#include <cmath>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <utility>

#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/launcher.h"
#include "apps/regard/measure.h"
#include "apps/regard/options.h"
#include "apps/regard/output/figures.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/metrics/bleu_tokenisers.h"
#include "apps/translation/metrics/exact_match.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/translator/evaluation.h"
#include "apps/translation/translator/translator.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::ParallelCorpus;
using translation::ParallelText;
using translation::Processes;
using translation::Translator;

/// The settings name either a model and its source, or a hypothesis. A path that was not given is empty.
struct Evaluate {
  ModelOptions model;
  std::string source;
  std::string tsv;  ///< replaces source and reference
  std::string hypothesis;
  std::vector<std::string> references;
  std::string output;       ///< file for the model's translations
  std::string scores_json;  ///< file for all figures
  std::string tokeniser = "13a";
  std::string cut_by;  ///< for the signature
  bool lowercase = false;
  Search search;
  std::vector<std::shared_ptr<Measure>> measures = all_measures();

  /// The first file of the references; "" if it is the tsv.
  std::string reference() const { return references.empty() ? "" : references.front(); }
  std::string pairs_file() const { return tsv.empty() ? reference() : tsv; }
};

/// Returns the translations of all lines of a text. The evaluation has translated the lines in `pairs`
/// already. Of the other lines, a source that is empty or too long for the model gets an empty translation.
/// Adds the sources that are too long to `too_long`.
std::vector<std::string> translations(Translator& translator, const ParallelText& text,
                                      const ParallelCorpus& pairs, const translation::Evaluation& evaluation,
                                      const transformer::SearchOptions& options, Index& too_long) {
  translation::TranslationModel& model = translator.model();
  std::vector<std::string> result(text.source.size());
  std::vector<translation::Translator::Source> others;
  for (std::size_t line = 0, pair = 0; line < text.source.size(); ++line) {
    if (pair < pairs.lines.size() && pairs.lines[pair] == to_index(line)) {
      result[line] = model.tokeniser->join(model.vocabularies.target.tokens(evaluation.translations[pair++]));
      continue;
    }
    try {
      others.push_back(translator.read(text.source[line], to_index(line) + 1));
    } catch (const translation::TooLong&) {
      ++too_long;
    }
  }
  for (Translator::Result& other : translator.translate_sources(std::move(others), options))
    result[to_size(other.source.line) - 1] = std::move(other.n_best.front().text);
  return result;
}

/// Translates with the model. Adds the figures that only a model has to `figures`.
Outputs translate(const Evaluate& settings, Translator& translator, const ParallelText& text,
                  translation::References references, Processes& processes, Figures& figures) {
  translator.set_processes(processes);
  translation::TranslationModel& model = translator.model();
  processes.agree_on(model);
  processes.agree_on(text);
  const transformer::SearchOptions options = search_options(settings.search, translator.model());
  check_search(options, model);
  const ParallelCorpus pairs = model.encode(text);
  const std::string& weights = settings.model.origin();
  const char* const remedy = search_remedy(options.beam);
  ModelFigures& of_model = figures.model.emplace();
  of_model.left_out = pairs.dropped;
  of_model.max_length = model.settings.data.max_length;
  if (!model.settings.model.reads_files()) of_model.source = translation::count_unknown(pairs.source);
  of_model.reference = translation::count_unknown(pairs.target);
  // First, because a search takes minutes, and a model that cannot be measured is refused here.
  for (const auto& measure : settings.measures)
    run_model(weights, remedy, [&] { figures.of_model.push_back(measure->of_model(model, pairs)); });
  translation::Evaluation evaluation;
  run_model(weights, remedy, [&] { evaluation = evaluate(model.searched(), pairs, options, processes); });
  if (!std::isfinite(evaluation.loss)) fail_not_finite(weights);
  of_model.loss = evaluation.loss;
  of_model.token_accuracy = evaluation.token_accuracy;
  figures.sentences = pairs.pairs();
  Outputs outputs;
  run_model(weights, remedy, [&] {
    outputs.hypotheses = translations(translator, text, pairs, evaluation, options, of_model.too_long);
  });
  if (processes.first()) warn_of_cut_off(evaluation.cut_off + translator.cut_off());
  for (std::vector<std::string>& lines : references)
    for (std::string& line : lines) line = model.tokeniser->plain(line);
  outputs.references = std::move(references);
  outputs.exact.resize(text.target.size());
  for (std::size_t pair = 0; pair < pairs.lines.size(); ++pair)
    outputs.exact[to_size(pairs.lines[pair])] = evaluation.exact[pair];
  return outputs;
}

/// The sources of a text as plain text; none if there are none, or if they are images.
std::vector<std::string> plain_sources(const Evaluate& settings, const ParallelText& text,
                                       const translation::TranslationModel* model) {
  std::vector<std::string> sources;
  if (model == nullptr) {
    if (settings.source.empty()) return sources;
    sources = translation::read_sentences(settings.source);
    translation::check_line_counts(settings.source, sources.size(), settings.reference(), text.target.size());
  } else if (!model->settings.model.reads_files()) {
    for (const std::string& source : text.source) sources.push_back(model->tokeniser->plain(source));
  }
  return sources;
}

/// Throws Error unless the settings name a model or a hypothesis, and what to compare it with.
void check(const Evaluate& settings) {
  const bool has_model = !settings.model.directory.empty();
  if (!has_model && settings.hypothesis.empty())
    fail("give a MODEL_DIR with --source, or --hypothesis; see regard evaluate --help");
  if (has_model && settings.source.empty() && settings.tsv.empty())
    fail("--source is required with a MODEL_DIR, or --tsv for both sides; see regard evaluate --help");
  if (settings.tsv.empty() && settings.references.empty())
    fail("--reference is required; see regard evaluate --help");
  if (!settings.cut_by.empty() && settings.tokeniser != "none")
    fail("--cut-by {}: the text is cut already, so give --tokeniser none, too", settings.cut_by);
  if (settings.cut_by.find('|') != std::string::npos)
    fail("--cut-by {}: a name in a signature has no |; give the one that cut_words.py prints",
         settings.cut_by);
}

/// Reads all references. The first one is part of the text.
translation::References read_references(const Evaluate& settings, const ParallelText& text) {
  translation::References references{text.target};
  for (std::size_t k = 1; k < settings.references.size(); ++k) {
    const std::string& file = settings.references[k];
    references.push_back(translation::read_sentences(file));
    translation::check_line_counts(file, references.back().size(), settings.reference(), text.target.size());
  }
  return references;
}

/// A sentence that equals another reference is an exact match, too.
void add_matches(translation::ExactMatches& exact, const Outputs& outputs,
                 const translation::BleuOptions& options) {
  for (std::size_t k = 1; k < outputs.references.size(); ++k) {
    const auto others = translation::exact_matches(outputs.hypotheses, outputs.references[k], options);
    for (std::size_t i = 0; i < exact.size(); ++i)
      if (exact[i]) exact[i] = *exact[i] || others[i].value_or(false);
  }
}

/// Warns if the tokeniser of BLEU does not fit the texts.
void check_tokeniser(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
                     const translation::BleuOptions& options) {
  const std::string name = name_of(translation::bleu_tokenisers, options.tokeniser);
  if (lacks_blanks(references, options))
    translation::remark(
        "the references have no blanks between their words, so BLEU with --tokeniser {} compares whole "
        "phrases and says little; give --tokeniser char, or zh for Chinese",
        name);
  if (looks_tokenised(hypotheses, options))
    translation::remark(
        "at least 100 translations end in \" .\", so they seem to be tokenised, but --tokeniser {} is for "
        "plain text; score plain text, or give --tokeniser none if both sides are tokenised alike",
        name);
}

int run(const Evaluate& settings, Processes& processes) {
  const translation::BleuOptions options{
      .tokeniser = value_of(translation::bleu_tokenisers, settings.tokeniser, "--tokeniser"),
      .lowercase = settings.lowercase,
      .cut_by = settings.cut_by};
  check(settings);
  Figures figures;
  figures.options = options;
  const bool has_model = !settings.model.directory.empty();
  std::vector<std::string> inputs = settings.model.files();
  for (const std::string& input : {settings.source, settings.tsv, settings.hypothesis})
    inputs.push_back(input);
  inputs.insert(inputs.end(), settings.references.begin(), settings.references.end());
  for (const auto& measure : settings.measures)
    for (const std::string& input : measure->files()) inputs.push_back(input);
  const std::vector<Output> written =
      processes.first()
          ? std::vector<Output>{{"--output", settings.output}, {"--scores-json", settings.scores_json}}
          : std::vector<Output>{{"", ""}, {"", ""}};
  const OutputFiles output(written, inputs);
  // A model may translate for minutes, so all files are read (and their errors found) before.
  std::optional<Translator> translator;
  std::shared_ptr<const translation::SourceFiles> files;
  if (has_model) {
    translator = Translator::load(settings.model.directory, load_options(settings.model, settings.search));
    files = translator->model().settings.source_files();
  }
  const ParallelText text = translation::read_parallel(has_model ? settings.source : settings.hypothesis,
                                                       settings.reference(), settings.tsv, files.get());
  translation::References references = read_references(settings, text);
  figures.references = references.size();
  if (files) check_outputs(written, text.source);
  const translation::TranslationModel* const model = translator ? &translator->model() : nullptr;
  const translation::Settings searched =
      searched_settings(settings.search, model ? model->settings : translation::Settings());
  const std::vector<std::string> sources = plain_sources(settings, text, model);
  const std::string pairs_file = settings.pairs_file();
  const Evaluated evaluated{text, sources, pairs_file, searched, model, settings.model.directory};
  for (const auto& measure : settings.measures) measure->read(evaluated);
  figures.sentences = to_index(text.target.size());
  Outputs outputs = translator
                        ? translate(settings, *translator, text, std::move(references), processes, figures)
                        : Outputs{.hypotheses = text.source,
                                  .references = std::move(references),
                                  .exact = translation::exact_matches(text.source, text.target, options)};
  check_tokeniser(outputs.hypotheses, outputs.references.front(), options);
  outputs.options = options;
  outputs.bleu = bleu_counts_of_several(outputs.hypotheses, outputs.references, options);
  add_matches(outputs.exact, outputs, options);
  figures.exact_match = translation::exact_match(outputs.exact);
  translation::BleuCounts all;
  for (const translation::BleuCounts& of_line : outputs.bleu) all += of_line;
  figures.bleu = bleu(all);
  for (const auto& measure : settings.measures) figures.of_outputs.push_back(measure->of_outputs(outputs));
  print(figures);
  // After the scores, which are then printed even if this fails.
  const std::string translated = fmt::format("{}\n", fmt::join(outputs.hypotheses, "\n"));
  const std::string scores = json_text(figures, settings.scores_json);
  output.write({{written[0].path, {translated}}, {written[1].path, {scores}}});
  return 0;
}

}  // namespace

void add_evaluate(const Command& program) {
  const auto evaluate = std::make_shared<Evaluate>();
  const Command command = program.add(
      "evaluate", "Compare translations with references; a model or a file supplies the translations");
  command.option("MODEL_DIR", evaluate->model.directory, "Directory that regard train wrote");
  command.option("--hypothesis", evaluate->hypothesis,
                 "Translations, one per line, to evaluate instead of a model's", {.excludes = {"MODEL_DIR"}});
  command.option(
      "--reference", evaluate->references,
      "Correct translations, one per line; give it again for other translations of the same lines");
  command.option(
      "--source", evaluate->source,
      "Sentences, one per line, for the model to translate; or the paths of images, relative to the "
      "directory of this file. With --hypothesis: the sentences that were translated, whose placeholders "
      "and numbers are compared");
  const Command model = command.only_with("MODEL_DIR");
  add_model_options(model, evaluate->model);
  model.option("--tsv", evaluate->tsv,
               "File with lines \"source TAB reference\"; replaces --source and --reference",
               {.excludes = {"--source", "--reference"}});
  model.option("--output", evaluate->output, "File to write the model's translations to; default: none");
  add_search(model, evaluate->search, &command);
  command.option("--tokeniser", evaluate->tokeniser,
                 "How BLEU cuts text into words: 13a, intl (Unicode's punctuation), zh (Chinese), char (each "
                 "character) or none (at blanks)",
                 show_default);
  command.option("--cut-by", evaluate->cut_by,
                 "With --tokeniser none: the tokeniser that has cut both texts, for the signature, such as "
                 "ja-mecab-0.996-IPA",
                 {.excludes = {"MODEL_DIR"}});
  command.option("--lowercase", evaluate->lowercase, "Compare in lower case");
  command.option("--scores-json", evaluate->scores_json,
                 "File to write all figures to, as JSON; default: none");
  for (const auto& measure : evaluate->measures) measure->add_options(command, model);
  std::string examples =
      "Examples:\n"
      "  regard evaluate build/model --source build/toy/test.source --reference build/toy/test.target\n" +
      launcher().example("evaluate build/model --source test.source --reference test.target") +
      "  regard evaluate --hypothesis translation.txt --reference reference.txt\n";
  for (const auto& measure : evaluate->measures) examples += measure->example();
  command.footer(examples);
  command.action([evaluate, command] {
    return launcher().run(command.given(), [&](Processes& processes) { return run(*evaluate, processes); });
  });
}

}  // namespace regard::program
