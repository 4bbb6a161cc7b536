#include <optional>
#include <string>
#include <vector>

#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/shortlist/make_shortlist.h"
#include "apps/shortlist/recall.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

struct MakeShortlist {
  ModelOptions model;
  std::vector<std::string> source, target;
  translation::ShortlistSettings settings;
  std::optional<int> threads;
};

int run(const MakeShortlist& make) {
  set_given_threads(make.threads);
  translation::TranslationModel model =
      translation::TranslationModel::load(make.model.directory, load_options(make.model));
  if (model.settings.model.reads_files())
    fail("a shortlist belongs to source tokens, but {} reads images", make.model.directory);
  const translation::ParallelCorpus corpus =
      model.encode(translation::read_parallel_files(make.source, make.target));
  if (corpus.dropped.total() > 0)
    translation::remark("{} of {} pairs are empty or too long for the model and do not count",
                        corpus.dropped.total(), corpus.lines_read);
  const std::string path = make.model.directory + "/" + translation::shortlist_file;
  std::optional<translation::Shortlist> shortlist;
  run_model(make.model.origin(), "shorter sentences", [&] {
    shortlist = translation::make_shortlist(model.model, model.vocabularies, corpus, make.settings);
  });
  complete_before_stopping([&] { shortlist->save(path, model.vocabularies); });
  const translation::ShortlistRecall recall = translation::recall(*shortlist, corpus);
  report("pairs      {}\nsentence   may have {:.0f} of {} target tokens, the mean\n", corpus.pairs(),
         recall.mean_list(), model.vocabularies.target.size());
  report("recall     {:.2f} % of the corpus' target tokens\nwritten    {}\n", 100 * recall.share(), path);
  return 0;
}

}  // namespace

void add_shortlist(const Command& program) {
  const Command command = program.add(
      "shortlist",
      "Write beside a model which target tokens may come with which source tokens, for --shortlist");
  MakeShortlist& make = command.runs<MakeShortlist>(run);
  add_model(command, make.model);
  const OptionRules files{.required = true, .several = true};
  command.option("--source", make.source, "The corpus of the training, one or several files", files);
  command.option("--target", make.target, "As many files with its translations", files);
  command.option("--first", make.settings.first, "The most frequent target tokens, which may always come",
                 {.show_default = true, .least = 0});
  command.option(
      "--best", make.settings.best,
      "For each source token, the target tokens that the decoder wrote most often when it looked at "
      "this token",
      {.show_default = true, .least = 0});
  add_threads(command, make.threads);
  command.footer(
      "A translation then has only tokens of its sentence's list: those that may always come, those of its "
      "source\ntokens, and target tokens that are equal to a source token.\n"
      "Example:\n"
      "  regard shortlist build/model --source train.source --target train.target\n"
      "  regard translate build/model --shortlist < source.txt");
}

}  // namespace regard::program
