#include "apps/regard/search.h"
#include "apps/translation/evaluation.h"
#include "apps/translation/model_directory.h"
#include "autograd/error.h"

namespace regard::program {

int run(const Evaluate& command) {
  const translation::TranslationModel model = translation::TranslationModel::load(command.model);
  const transformer::SearchOptions options = search_options(command.search, model.settings);
  check_search(options, model);
  const translation::ParallelCorpus corpus =
      encode(translation::read_parallel_files(command.source, command.reference),
             {*model.tokeniser, model.vocabularies.source, model.vocabularies.target,
              model.settings.data.max_length});
  if (corpus.dropped.total() > 0)
    fmt::print("left out     {} pairs with an empty side, {} too long\n", corpus.dropped.empty,
               corpus.dropped.too_long);
  const translation::Evaluation evaluation = evaluate(*model.model, corpus, options);
  fmt::print("sentences    {}\nloss         {:.4f}\nperplexity   {:.3f}\nexact match  {:.2f} %\n",
             corpus.pairs(), evaluation.loss, evaluation.perplexity(), 100 * evaluation.exact_match);
  return 0;
}

}  // namespace regard::program
