#include "apps/regard/commands/translate.h"

#include <fmt/format.h>
#include <memory>

#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/launcher.h"
#include "apps/regard/options.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::Processes;
using translation::Translator;

/// Throws Error if the model reads text and an option is for files, or the reverse.
void check_kind(Translator& translator, const Translate& settings) {
  const auto files = translator.model().settings.source_files();
  if (!files && !settings.files.empty())
    fail("{} reads text, so it cannot read the file {}; give it sentences on standard input",
         settings.model.directory, settings.files.front());
  if (files && settings.alignments)
    fail("--alignments links words, but {} reads {}s; give --attention-images DIR", settings.model.directory,
         files->words().name);
}

/// The search that the command line chose.
const TranslateWay& search_of(const Translate& settings) {
  static const TranslateWay best;
  for (const auto& way : settings.ways)
    if (way->searches()) return *way;
  return best;
}

void translate_input(const TranslateRun& run, const Translate& settings, AttentionOutput& attention) {
  for (const auto& way : settings.ways)
    if (way->reads_text()) return way->translate_text(run);
  LineTranslation lines(run, settings, attention);
  if (settings.files.empty()) {
    const auto files = run.translator.model().settings.source_files();
    const std::string unit = files ? fmt::format("path of {}", files->words().one) : "sentence";
    translate_stream([&](const std::vector<std::string>& block) { return lines.add(block); }, unit.c_str(),
                     run.processes);
  } else if (const std::string problem = lines.add(settings.files); !problem.empty()) {
    fail("{}", problem);
  }
}

int run(const Translate& settings, Processes& processes) {
  Translator translator =
      Translator::load(settings.model.directory, load_options(settings.model, settings.search));
  check_kind(translator, settings);
  std::vector<std::string> inputs = settings.model.files();
  inputs.insert(inputs.end(), settings.files.begin(), settings.files.end());
  AttentionOutput attention(settings.attention, translator, settings.model.directory, settings.model.weights,
                            inputs);
  translator.set_processes(processes);
  processes.agree_on(translator.model());
  transformer::SearchOptions options = search_options(settings.search, translator.model());
  options.n_best = settings.n_best;
  const TranslateWay& way = search_of(settings);
  way.check(options, translator.model());
  const transformer::Prefix prefix = translator.prefix(settings.prefix);
  if (processes.first()) attention.open();
  if (const auto& selection = translator.model().selection; selection && settings.scores && processes.first())
    translation::remark("{}", selection->about_scores());
  translate_input({way, settings.model.origin(), translator, options, prefix, processes}, settings,
                  attention);
  if (processes.first()) warn_of_cut_off(translator.cut_off());
  return 0;
}

}  // namespace

void add_translate(const Command& program) {
  const auto translate = std::make_shared<Translate>();
  const Command command =
      program.add("translate", "Translate the lines of standard input, or lines typed at a prompt");
  add_model(command, translate->model);
  command.option("FILES", translate->files,
                 "For a model that reads files, such as images: the files to translate; without them, "
                 "standard input has a path in each line");
  const Command output = command.group("What is written");
  output.option("--n-best", translate->n_best,
                "Translations per sentence, at most --beam in a search; above 1, each translation stands "
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
  search.option("--prefix", translate->prefix,
                "Text with which every translation begins, in the form that the model's tokeniser reads; "
                "the search finds the best translation with this beginning");
  command.option("--skip-too-long", translate->skip_too_long,
                 "Write an empty translation for a sentence that is too long for the model; without this "
                 "option, such a sentence ends the program");
  add_attention(command.group("Attention"), translate->attention);
  std::string examples;
  for (const auto& way : translate->ways) {
    way->add_options(command);
    examples += way->example();
  }
  command.footer(
      "The model's configuration (decoding) has the defaults of the search.\n"
      "Examples:\n"
      "  regard translate build/model < source.txt > translation.txt\n"
      "  regard translate build/model --beam 8 --n-best 3 --scores < source.txt\n"
      "  regard translate build/model --alignments < source.txt\n" +
      launcher().example("translate build/model < source.txt > translation.txt") + examples +
      "  regard translate build/captions photo.png --attention-images build/attention\n"
      "  regard translate build/model");
  command.action([translate, command] {
    return launcher().run(command.given(), [&](Processes& processes) { return run(*translate, processes); });
  });
}

}  // namespace regard::program
