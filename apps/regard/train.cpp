#include <iostream>

#include "apps/regard/commands.h"
#include "apps/translation/trainer.h"
#include "apps/translation/training_log.h"
#include "autograd/error.h"
#include "autograd/parallel.h"

namespace regard::program {

namespace {

using translation::TrainingData;

void print_corpus(const char* name, const translation::ParallelCorpus& corpus) {
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < corpus.source.size(); ++i)
    tokens += static_cast<std::int64_t>(corpus.source[i].size() + corpus.target[i].size());
  fmt::print("{:<12} {} sentence pairs, {} tokens", name, corpus.pairs(), tokens);
  if (corpus.dropped.total() > 0)
    fmt::print("; left out: {} with an empty side, {} too long", corpus.dropped.empty,
               corpus.dropped.too_long);
  fmt::print("\n");
}

void print_summary(const TrainingData& data, const translation::Settings& settings, std::int64_t parameters) {
  print_corpus("training", data.training);
  if (data.validation) print_corpus("validation", *data.validation);
  if (!data.subwords.empty()) fmt::print("{:<12} {}\n", "subwords", data.subwords);
  fmt::print("{:<12} {} source and {} target entries{}\n", "vocabulary", data.vocabularies.source.size(),
             data.vocabularies.target.size(), settings.data.joint_vocabulary ? ", joint" : "");
  fmt::print("{:<12} {} parameters, {} threads\n\n", "model", parameters, threads());
}

}  // namespace

int run(const Train& command) {
  if (command.print_config) {
    std::cout << translation::documented_defaults();
    return 0;
  }
  if (command.config.empty())
    fail("train: give a configuration file; regard train --print-config prints one to start from");
  if (command.out.empty()) fail("train: say where to write the model: --out MODEL_DIR");
  const translation::Settings settings = translation::load_settings(command.config, command.overrides);
  if (settings.training.threads) set_threads(static_cast<int>(*settings.training.threads));
  const TrainingData data = translation::load_training_data(settings);
  using translation::ModelDirectory;
  const ModelDirectory directory(command.out);
  translation::Trainer trainer(settings, data, directory);  // before anything is written: it may not fit
  print_summary(data, settings, trainer.parameter_count());
  directory.create(
      settings, data.vocabularies,
      command.overwrite ? ModelDirectory::IfPresent::replace : ModelDirectory::IfPresent::refuse);
  translation::TrainingLog log(directory.metrics(), settings.training.log_every);
  trainer.run(log);
  fmt::print("\nThe model is in {}. Try: regard translate {}\n", command.out, command.out);
  return 0;
}

}  // namespace regard::program
