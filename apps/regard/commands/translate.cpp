#include "apps/regard/commands/translate.h"

#include <fmt/format.h>
#include <functional>
#include <iostream>
#include <memory>
#include <unistd.h>
#include <utility>

#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/many_processes.h"
#include "apps/regard/options.h"
#include "apps/regard/output/attention_output.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/processes/agreement.h"
#include "apps/translation/processes/sharing.h"
#include "apps/translation/translator/translator.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::Processes;
using translation::Translator;

/// Translates lines and returns the problem of the line after them; empty if there is none.
using TranslateBlock = std::function<std::string(const std::vector<std::string>& lines)>;

/// Reads standard input. `unit` is the content of a line, for a person who types it.
void translate_stream(const TranslateBlock& translate_block, const char* unit, Processes& processes) {
  const bool interactive = processes.alone() && ::isatty(STDIN_FILENO) != 0;
  const std::size_t at_a_time = interactive ? 1 : lines_at_a_time;  // a person waits for each answer
  // The prompt is for a person and must not get into a file with the translations.
  const auto prompt = [&](const std::string& text) {
    if (interactive && ::isatty(STDERR_FILENO) != 0) std::cerr << text;
  };
  prompt(fmt::format("One {} per line; end with Ctrl-D.\n> ", unit));
  LineReader reader;
  for (;;) {
    const std::vector<std::string> block = of_first(processes, [&] { return reader.read(at_a_time); });
    if (block.empty()) break;
    const std::string problem = translate_block(block);
    if (!problem.empty()) {
      if (!interactive) fail("{}", problem);
      translation::remark("{}", problem);  // a person can type another line
    }
    prompt("> ");
  }
  prompt("\n");
}

/// Translates each line of standard input.
void translate_each_line(const TranslateRun& run) {
  Index next = 1;
  translate_stream(
      [&](const std::vector<std::string>& block) {
        const Index first = std::exchange(next, next + to_index(block.size()));
        return translate_lines(run, block, first);
      },
      run.translator.model().settings.model.reads_files() ? "path of an image" : "sentence", run.processes);
}

/// Translates standard input as one text.
void translate_whole(const TranslateRun& run) {
  DocumentTranslation document(run);
  translate_stream([&](const std::vector<std::string>& block) { return document.add(block); }, "paragraph",
                   run.processes);
  document.finish();
}

/// Throws Error if the model reads text and an option is for images, or the reverse.
void check_kind(Translator& translator, const Translate& settings) {
  const bool reads_images = translator.model().settings.model.reads_files();
  if (!reads_images && !settings.images.empty())
    fail("{} reads text, so it cannot read the image {}; give it sentences on standard input",
         settings.model.directory, settings.images.front());
  if (reads_images && settings.alignments)
    fail("--alignments links words, but {} reads images; give --attention-images DIR",
         settings.model.directory);
  if (reads_images && settings.document)
    fail("--document cuts text into sentences, but {} reads images; leave it out", settings.model.directory);
}

int run(const Translate& settings, Processes& processes) {
  Translator translator =
      Translator::load(settings.model.directory, load_options(settings.model, settings.search));
  check_kind(translator, settings);
  std::vector<std::string> inputs = settings.model.files();
  inputs.insert(inputs.end(), settings.images.begin(), settings.images.end());
  AttentionOutput attention(settings.attention, translator, settings.model.directory, settings.model.weights,
                            inputs);
  translator.set_processes(processes);
  check_same_model(processes, translator.model());
  transformer::SamplingOptions options = settings.sampling;
  options.search = search_options(settings.search, translator.model());
  options.search.n_best = settings.n_best;
  if (settings.sample)
    check(options);
  else
    check_search(options.search, translator.model());
  if (settings.exact) check(transformer::ExactOptions{options.search, settings.most_expansions});
  translator.prefix(settings.prefix);  // refuses one that the model cannot write
  if (processes.first()) attention.open();
  if (processes.first() && settings.scores && settings.search.shortlist)
    translation::remark(
        "the scores are over the shortlist of each sentence, so they are a little greater than those of the "
        "whole vocabulary");
  const TranslateRun run{settings, translator, options, processes, attention};
  if (settings.document) {
    translate_whole(run);
  } else if (settings.images.empty()) {
    translate_each_line(run);
  } else if (const std::string problem = translate_lines(run, settings.images, 1); !problem.empty()) {
    fail("{}", problem);
  }
  if (processes.first()) warn_of_cut_off(translator.cut_off());
  return 0;
}

/// Adds --sample and the options that need it. The options of a search for the best translation exclude it.
void add_sampling(const Command& command, Translate& translate) {
  command.option("--sample", translate.sample,
                 "Draw translations at random, as many as --n-best says; no search for the best",
                 {.excludes = {"--beam", "--patience", "--attention", "--prefix"}});
  const Command sample = command.only_with("--sample");
  transformer::SamplingOptions& sampling = translate.sampling;
  sample.option("--temperature", sampling.temperature,
                "Divisor of the logits; values below 1 prefer likely tokens, 0 is greedy search",
                {.show_default = true, .least = 0});
  sample.option("--top-k", sampling.top_k, "Draw from the K most likely tokens; 0: from all",
                {.show_default = true, .least = 0});
  sample.option("--top-p", sampling.top_p,
                "Draw from the smallest set of tokens whose probabilities have at least this sum",
                {.show_default = true, .least = 0});
  sample.option("--seed", sampling.seed, "Another seed draws other translations", show_default);
}

/// Adds --exact and its limit. Log-probabilities decide alone, so the options of scores exclude it.
void add_exact(const Command& command, Translate& translate) {
  command.option("--exact", translate.exact,
                 "Search the translation with the greatest log-probability (Stahlberg and Byrne 2019); "
                 "slow. A beam search gives the first bound; the score is the log-probability",
                 {.excludes = {"--sample", "--n-best", "--length-penalty", "--alpha", "--prefix"}});
  command.only_with("--exact").option("--most-expansions", translate.most_expansions,
                                      "Most hypotheses of a sentence that the decoder reads; with a "
                                      "warning, the best translation found until then is taken",
                                      {.show_default = true, .least = 0});
}

/// Adds --document and the options that need it. A document has one translation and no lines of its own, so
/// the options that write something beside each translation exclude it.
void add_document(const Command& command, Translate& translate) {
  command.option(
      "--document", translate.document,
      "Translate standard input as a text: cut each line into sentences, translate them, and put the "
      "text together again, with its blank lines, indentation and list marks. A sentence that is "
      "longer than those of the training is translated in parts, with a warning",
      {.excludes = {"IMAGES", "--n-best", "--scores", "--alignments", "--attention", "--attention-images",
                    "--attention-json", "--prefix", "--skip-too-long"}});
  const Command document = command.only_with("--document");
  document.option("--wrapped", translate.text.wrapped,
                  "Sentences go on from line to line: a paragraph ends at a blank line, at a list mark or at "
                  "another indentation. Its translation has lines as long as its own");
  document.option("--language", translate.text.language,
                  "Code of the text's language, such as de or pt-BR: sentences do not end after its "
                  "abbreviations; default: the rules of all languages");
  document.option(
      "--tag", translate.text.tag,
      "Word that the model reads before each sentence, such as \">>fra<<\" for a model with several "
      "target languages");
}

}  // namespace

void add_translate(const Command& program) {
  const auto translate = std::make_shared<Translate>();
  const Command command =
      program.add("translate", "Translate the lines of standard input, or lines typed at a prompt");
  add_model(command, translate->model);
  command.option("IMAGES", translate->images,
                 "For a model that reads images: images in PNG or JPEG to describe; without them, standard "
                 "input has the path of an image in each line");
  const Command output = command.group("What is written");
  output.option(
      "--n-best", translate->n_best,
      "Translations per sentence, at most --beam without --sample; above 1, each translation stands "
      "in a line of its own, after its line number and a tab",
      {.show_default = true, .least = 1});
  output.option("--scores", translate->scores,
                "Write the score and a tab before each translation; only the tab for an empty line");
  output.option(
      "--alignments", translate->alignments,
      "Write after each translation a tab and, for each of its tokens, the source token that the decoder "
      "read most when it wrote this token: \"0-0 1-2\" links source token 0 to token 0 of the translation, "
      "and 1 to 2; no link for a token if the decoder read the end of the source most. After a second and a "
      "third tab stand the source's tokens and those of the translation");
  const Command search = command.group("The search");
  add_search(search, translate->search);
  add_placeholders(search.only_with("--keep-placeholders"), translate->search.placeholders);
  search.option("--prefix", translate->prefix,
                "Text with which every translation begins, in the form that the model's tokeniser reads; "
                "the search finds the best translation with this beginning");
  command.option("--skip-too-long", translate->skip_too_long,
                 "Write an empty translation for a sentence that is too long for the model; without this "
                 "option, such a sentence ends the program");
  add_attention(command.group("Attention"), translate->attention);
  add_sampling(command.group("Sampling"), *translate);
  add_exact(command.group("The search"), *translate);
  add_document(command.group("Documents"), *translate);
  command.footer(
      "The model's configuration (decoding) has the defaults of the search.\n"
      "Examples:\n"
      "  regard translate build/model < source.txt > translation.txt\n"
      "  regard translate build/model --beam 8 --n-best 3 --scores < source.txt\n"
      "  regard translate build/model --alignments < source.txt\n"
      "  mpirun -n 2 regard translate build/model < source.txt > translation.txt\n"
      "  regard translate build/model --sample --temperature 0.7 --top-p 0.9 --n-best 5 < source.txt\n"
      "  regard translate build/model --exact --scores < source.txt\n"
      "  regard translate build/model --document --language en < report.txt > bericht.txt\n"
      "  regard translate build/captions photo.png --attention-images build/attention\n"
      "  regard translate build/model");
  command.action([translate, command] {
    return on_all_processes(command.given(),
                            [&](Processes& processes) { return run(*translate, processes); });
  });
}

}  // namespace regard::program
