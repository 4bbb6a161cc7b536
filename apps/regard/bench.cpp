// The subcommands of `regard bench`.
#include "apps/bench/train_bench.h"
#include "apps/regard/commands.h"
#include "apps/regard/model_failures.h"
#include "apps/regard/search.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "autograd/parallel.h"

namespace regard::program {

namespace {
void set_threads_if(const std::optional<int>& threads) {
  if (threads) set_threads(*threads);
}
}  // namespace

int run(const BenchTrain& command) {
  set_threads_if(command.threads);
  bench::bench_training(command.training);
  return 0;
}

int run(const BenchTranslate& command) {
  std::vector<std::string> inputs = translation::ModelDirectory(command.model).files_to_translate();
  inputs.push_back(command.bench.source);
  translation::check_output("--output", command.bench.output, inputs);
  translation::Translator translator(translation::TranslationModel::load(command.model));
  const transformer::SearchOptions options = search_options(command.search, translator.model().settings);
  check_search(options, translator.model());
  translator.set_batch_tokens(command.batch_tokens);
  run_model(command.model, "a smaller --beam or --batch-tokens",
            [&] { bench::run(command.bench, translator, options); });
  return 0;
}

int run(const BenchLong& command) {
  set_threads_if(command.threads);
  bench::run(command.bench);
  return 0;
}

int run(const BenchKernels& command) {
  set_threads_if(command.threads);
  bench::run(command.bench);
  return 0;
}

}  // namespace regard::program
