#include <fmt/ranges.h>

#include "apps/bench/training_options.h"
#include "apps/bench/translate_bench.h"
#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/translation/translator/in_batches.h"

namespace regard::program {

namespace {

struct BenchTranslate {
  ModelOptions model;
  bench::TranslateBench bench;
  std::string output;  ///< file for the translations; empty: none
  Search search;
  Index batch_tokens = translation::default_search_tokens;
};

int run(const BenchTranslate& translate) {
  std::vector<std::string> inputs = translate.model.files();
  inputs.push_back(translate.bench.source);
  const OutputFiles output({{"--output", translate.output}}, inputs);
  translation::Translator translator = translation::Translator::load(
      translate.model.directory, load_options(translate.model, translate.search));
  const transformer::SearchOptions options = search_options(translate.search, translator.model());
  check_search(options, translator.model());
  translator.set_batch_tokens(translate.batch_tokens);
  std::vector<std::string> translations;
  run_model(translate.model.origin(), "a smaller --beam or --batch-tokens",
            [&] { translations = bench::run(translate.bench, translator, options); });
  const std::string text = fmt::format("{}\n", fmt::join(translations, "\n"));
  output.write({{translate.output, {text}}});
  return 0;
}

void add_bench_translate(const Command& bench) {
  const Command command =
      bench.add("translate", "Measure the translation of a file, without the time to load the model");
  BenchTranslate& translate = command.runs<BenchTranslate>(run);
  bench::TranslateBench& settings = translate.bench;
  add_model(command, translate.model);
  command.option("--source", settings.source, "Sentences, one per line", required);
  command.option("--output", translate.output, "File to write the translations to; default: none");
  command.option("--one-at-a-time", settings.one_at_a_time,
                 "Translate each sentence alone, and print the milliseconds per sentence");
  command.option("--batch-tokens", translate.batch_tokens,
                 "Source tokens that are searched together with a beam of at most 8",
                 {.show_default = true, .least = 1});
  command.option("--runs", settings.runs, "Translate the file this many times; the result is the median",
                 show_default);
  add_search(command, translate.search);
  command.footer(
      "Examples:\n"
      "  regard bench translate build/model --source build/toy/test.source --beam 5 --threads 2\n"
      "  regard bench translate build/model --source build/toy/test.source --beam 1 --one-at-a-time");
}

}  // namespace

void add_bench(const Command& program) {
  const Command bench = program.add("bench", "Measure speed");
  bench.footer(
      "Examples:\n"
      "  regard bench train --preset tiny --source train.en --target train.de --steps 20 --threads 2\n"
      "  regard bench translate build/model --source build/toy/test.source --beam 5");
  add_training(
      bench, "Measure training steps, and beside them the time of their matrix products alone (the floor)",
      "Examples:\n"
      "  regard bench train --preset tiny --source train.en --target train.de --steps 20 --threads 2\n"
      "  regard bench train --preset luong2015 --set model.cell=gru --set model.d_model=64 \\\n"
      "      --source train.en --target train.de",
      bench::bench_training);
  add_bench_translate(bench);
}

}  // namespace regard::program
