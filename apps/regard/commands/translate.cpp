#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <unistd.h>

#include "apps/regard/commands.h"
#include "apps/regard/failures.h"
#include "apps/regard/many_processes.h"
#include "apps/regard/options.h"
#include "apps/regard/output/attention_output.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/processes/agreement.h"
#include "apps/translation/processes/messages.h"
#include "apps/translation/translator/translator.h"
#include "autograd/error.h"

namespace regard::program {

namespace {

using translation::Processes;
using translation::Translator;

struct Translate {
  std::string model;
  ModelOptions loading;
  std::vector<std::string> images;  ///< empty: the sources come from standard input
  std::string prefix;
  AttentionOptions attention;
  Search search;
  Index n_best = 1;
  bool scores = false;
  bool alignments = false;
  bool sample = false;
  bool exact = false;
  Index most_expansions = transformer::ExactOptions().most_expansions;
  bool skip_too_long = false;
  transformer::SamplingOptions sampling;  ///< run() sets its `search`
};

/// Lines that can be translated, and the problem of the line after them.
struct Lines {
  Index first;  ///< number of the first line, from 1
  std::vector<std::string> texts;
  std::string problem;  ///< empty: no problem
};

/// Checks the lines that were read, until one has a problem. With --skip-too-long, replaces a sentence that
/// is too long by an empty one and warns.
Lines check_lines(const Translator& translator, const std::vector<std::string>& read, Index first,
                  const Translate& settings) {
  Lines lines{first, {}, {}};
  for (const std::string& line : read) {
    const Index number = first + to_index(lines.texts.size());
    try {
      std::string text =
          settings.images.empty() ? translation::clean_line(line, "standard input", number) : line;
      if (settings.skip_too_long && !translator.takes(text)) {
        translation::warn("line {} is too long; its translation is empty", number);
        text.clear();
      }
      translator.check_source(text, number);
      lines.texts.push_back(std::move(text));
    } catch (const Error& error) {
      lines.problem = error.what();
      break;
    }
  }
  return lines;
}

const char* remedy(const Translate& settings, const transformer::SamplingOptions& options) {
  if (!settings.sample) return search_remedy(options.search.beam);
  return settings.n_best > 1 ? "a smaller --n-best" : "shorter sentences";
}

std::vector<Translator::Result> translated(Translator& translator, const Lines& lines,
                                           const transformer::SamplingOptions& options,
                                           const Translate& settings) {
  if (settings.sample) return translator.sample(lines.texts, options, lines.first);
  if (settings.exact)
    return translator.exact(lines.texts, {options.search, settings.most_expansions}, lines.first);
  return translator.translate(lines.texts, options.search, lines.first, translator.prefix(settings.prefix));
}

/// Translates lines and, in the first process, writes the translations in the same order.
void translate_lines(Translator& translator, const Lines& lines, const transformer::SamplingOptions& options,
                     const Translate& settings, const Processes& processes, AttentionOutput& attention) {
  std::vector<Translator::Result> results;
  std::vector<std::vector<translation::Alignment>> alignments;
  run_model(weights_of(settings.model, settings.loading.weights), remedy(settings, options), [&] {
    results = translated(translator, lines, options, settings);
    if (settings.alignments) alignments = translator.alignments(lines.texts, results);
  });
  if (!processes.first()) return;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Index number = lines.first + to_index(i);
    warn_of_unknown_words(fmt::format("line {}", number), results[i].unknown_words);
    if (!results[i].difference.empty())
      translation::warn("line {}: {}; the translation may leave out a part, so give one sentence per line",
                        number, results[i].difference);
    if (!results[i].complete)
      translation::warn(
          "line {}: the exact search ended after {} expansions; there may be a more probable translation; "
          "give more --most-expansions or a wider --beam",
          number, settings.most_expansions);
    for (std::size_t n = 0; n < results[i].n_best.size(); ++n) {
      const translation::Translation& translation = results[i].n_best[n];
      if (settings.n_best > 1) std::cout << number << '\t';
      if (settings.scores)
        std::cout << (translation.score ? fmt::format("{:.4f}\t", *translation.score) : "\t");
      std::cout << translation.text;
      if (settings.alignments)
        std::cout << fmt::format("\t{}\t{}\t{}", alignment_text(alignments[i][n]),
                                 fmt::join(translator.tokens(lines.texts[i]), " "),
                                 fmt::join(translator.target_tokens(translation), " "));
      std::cout << '\n';
      attention.show(lines.texts[i], translation, number, to_index(n) + 1);
    }
  }
  flush_output();
}

/// Reads lines in the first process, and gives them to all.
std::vector<std::string> read(LineReader& reader, std::size_t most, Processes& processes) {
  if (processes.alone()) return reader.read(most);
  translation::MessageWriter message;
  if (processes.first())
    for (const std::string& line : reader.read(most)) message.add(std::string_view(line));
  const std::string bytes = of_first(processes, message.bytes());
  std::vector<std::string> lines;
  for (translation::MessageReader rest(bytes); !rest.at_end();) lines.push_back(rest.text());
  return lines;
}

void translate_stream(Translator& translator, const transformer::SamplingOptions& options,
                      const Translate& settings, Processes& processes, AttentionOutput& attention) {
  const bool interactive = processes.alone() && ::isatty(STDIN_FILENO) != 0;
  const std::size_t at_a_time = interactive ? 1 : lines_at_a_time;  // a person waits for each answer
  // The prompt is for a person and must not get into a file with the translations.
  const auto prompt = [&](const char* text) {
    if (interactive && ::isatty(STDERR_FILENO) != 0) std::cerr << text;
  };
  prompt(translator.model().settings.model.reads_images()
             ? "One path of an image per line; end with Ctrl-D.\n> "
             : "One sentence per line; end with Ctrl-D.\n> ");
  LineReader reader;
  Index next = 1;
  for (;;) {
    const std::vector<std::string> block = read(reader, at_a_time, processes);
    if (block.empty()) break;
    const Lines lines = check_lines(translator, block, next, settings);
    translate_lines(translator, lines, options, settings, processes, attention);
    if (!lines.problem.empty()) {
      if (!interactive) fail("{}", lines.problem);
      translation::warn("{}", lines.problem);  // a person can type another line
    }
    next += to_index(block.size());
    prompt("> ");
  }
  prompt("\n");
}

/// Translates the images of the command line.
void translate_images(Translator& translator, const transformer::SamplingOptions& options,
                      const Translate& settings, const Processes& processes, AttentionOutput& attention) {
  const Lines lines = check_lines(translator, settings.images, 1, settings);
  translate_lines(translator, lines, options, settings, processes, attention);
  if (!lines.problem.empty()) fail("{}", lines.problem);
}

/// Throws Error if the model reads text and an option is for images, or the reverse.
void check_kind(Translator& translator, const Translate& settings) {
  const bool reads_images = translator.model().settings.model.reads_images();
  if (!reads_images && !settings.images.empty())
    fail("{} reads text, so it cannot read the image {}; give it sentences on standard input", settings.model,
         settings.images.front());
  if (reads_images && settings.alignments)
    fail("--alignments links words, but {} reads images; give --attention-images DIR", settings.model);
}

int run(const Translate& settings, Processes& processes) {
  Translator translator = Translator::load(settings.model, load_options(settings.loading));
  check_kind(translator, settings);
  std::vector<std::string> inputs = translation::ModelDirectory(settings.model).files_to_translate();
  inputs.push_back(settings.loading.weights);
  inputs.insert(inputs.end(), settings.images.begin(), settings.images.end());
  AttentionOutput attention(settings.attention, translator, settings.model, settings.loading.weights, inputs);
  translator.set_deal(deal_among(processes));
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
  if (settings.images.empty())
    translate_stream(translator, options, settings, processes, attention);
  else
    translate_images(translator, options, settings, processes, attention);
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
                show_default);
  sample.option("--top-k", sampling.top_k, "Draw from the K most likely tokens; 0: from all", show_default);
  sample.option("--top-p", sampling.top_p,
                "Draw from the smallest set of tokens whose probabilities have at least this sum",
                show_default);
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
                                      show_default);
}

}  // namespace

void add_translate(const Command& program) {
  const auto translate = std::make_shared<Translate>();
  const Command command =
      program.add("translate", "Translate the lines of standard input, or lines typed at a prompt");
  command.option("MODEL_DIR", translate->model, "Directory that regard train wrote", required);
  command.option("IMAGES", translate->images,
                 "For a model that reads images: images in PNG or JPEG to describe; without them, standard "
                 "input has the path of an image in each line");
  add_model_options(command, translate->loading);
  const Command output = command.group("What is written");
  output.option(
      "--n-best", translate->n_best,
      "Translations per sentence, at most --beam without --sample; above 1, each translation stands "
      "in a line of its own, after its line number and a tab",
      show_default);
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
  search.option("--prefix", translate->prefix,
                "Text with which every translation begins, in the form that the model's tokeniser reads; "
                "the search finds the best translation with this beginning");
  command.option("--skip-too-long", translate->skip_too_long,
                 "Write an empty translation for a sentence that is too long for the model; without this "
                 "option, such a sentence ends the program");
  add_attention(command.group("Attention"), translate->attention);
  add_sampling(command.group("Sampling"), *translate);
  add_exact(command.group("The search"), *translate);
  command.footer(
      "The model's configuration (decoding) has the defaults of the search.\n"
      "Examples:\n"
      "  regard translate build/model < source.txt > translation.txt\n"
      "  regard translate build/model --beam 8 --n-best 3 --scores < source.txt\n"
      "  regard translate build/model --alignments < source.txt\n"
      "  mpirun -n 2 regard translate build/model < source.txt > translation.txt\n"
      "  regard translate build/model --sample --temperature 0.7 --top-p 0.9 --n-best 5 < source.txt\n"
      "  regard translate build/model --exact --scores < source.txt\n"
      "  regard translate build/captions photo.png --attention-images build/attention\n"
      "  regard translate build/model");
  command.action([translate, command] {
    return on_all_processes(command.given(),
                            [&](Processes& processes) { return run(*translate, processes); });
  });
}

}  // namespace regard::program
