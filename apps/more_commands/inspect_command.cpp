#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/head_importance/head_importance.h"
#include "apps/regard/command_line.h"
#include "apps/regard/failures.h"
#include "apps/regard/options.h"
#include "apps/translation/corpus/corpus.h"
#include "apps/translation/files/warning.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/settings/settings_json.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"
#include "autograd/ops/linear_products.h"

namespace regard::program {

namespace {

struct Inspect {
  ModelOptions model;
  bool head_importance = false;
  std::string source, target;
  std::optional<int> threads;
};

/// Prints for each head the loss of a corpus without it, largest loss first.
void print_head_importance(translation::TranslationModel& model, const Inspect& inspect) {
  const translation::ParallelCorpus corpus = model.encode(
      translation::read_parallel_files(inspect.source, inspect.target, model.settings.source_files().get()));
  if (corpus.dropped.total() > 0)
    translation::remark("{} of {} pairs are empty or too long for the model and do not count",
                        corpus.dropped.total(), corpus.lines_read);
  translation::HeadImportance importance;
  run_model(inspect.model.origin(), "shorter sentences",
            [&] { importance = head_importance(model.model, corpus); });
  fmt::print("loss {:.6f} of {}\n\n", importance.loss, translation::counted(corpus.pairs(), "pair"));
  fmt::print("{:<40} {:>5} {:>13} {:>10}\n", "attention", "head", "loss without", "growth");
  for (const auto& [head, kind, loss] : importance.heads)
    fmt::print("{:<40} {:>5} {:>13.6f} {:>+10.6f}\n", head.attention, head.head, loss,
               loss - importance.loss);
}

int run(const Inspect& inspect) {
  set_given_threads(inspect.threads);
  if (inspect.head_importance && (inspect.source.empty() || inspect.target.empty()))
    fail("--head-importance needs the corpus on which it measures the loss; give --source and --target");
  translation::TranslationModel model =
      translation::TranslationModel::load(inspect.model.directory, load_options(inspect.model));
  if (inspect.head_importance) {
    print_head_importance(model, inspect);
    return 0;
  }
  std::cout << to_json(model.settings).dump(2) << "\n\n";
  if (const std::string learnt = model.tokeniser->about(); !learnt.empty())
    fmt::print("subwords: {}\n", learnt);
  fmt::print("{} source and {} target entries in the vocabulary{}\n\n", model.vocabularies.source.size(),
             model.vocabularies.target.size(), model.settings.data.joint_vocabulary ? ", joint" : "");
  fmt::print("{:<50} {:>16} {:>12}  {}\n", "parameter", "shape", "size", "precision");
  for (const auto& [name, tensor] : model.model.parameters())
    fmt::print("{:<50} {:>16} {:>12}  {}\n", name, to_string(tensor.shape()), tensor.size(),
               MatrixForm::of(tensor) ? MatrixForm::of(tensor)->name() : "float32");
  fmt::print("{:<50} {:>16} {:>12}\n", "all", "", model.model.parameter_count());
  return 0;
}

}  // namespace

void add_inspect(const Command& program) {
  const Command command = program.add("inspect", "Show a model's configuration and parameters");
  Inspect& inspect = command.runs<Inspect>(run);
  add_model(command, inspect.model);
  command.option("--head-importance", inspect.head_importance,
                 "Instead, print how much the loss of a corpus grows without each attention head; the loss "
                 "is the mean of -log p per target token, </s> counted");
  const Command importance = command.only_with("--head-importance");
  importance.option("--source", inspect.source, "Sentences, one per line; or the paths of images");
  importance.option("--target", inspect.target, "Their translations, one per line");
  add_threads(command, inspect.threads);
  command.footer(
      "Examples:\n"
      "  regard inspect build/model\n"
      "  regard inspect build/model --head-importance --source build/toy/test.source --target "
      "build/toy/test.target");
}

}  // namespace regard::program
