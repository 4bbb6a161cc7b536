#include "apps/translation/model/translation_model.h"

#include <filesystem>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/model/make_model.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/precisions.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/search/search_rules.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

/// Returns the file of the weights. A training that was interrupted early has not written it yet.
std::string present_weights(const ModelDirectory& files, const Settings& settings) {
  if (!files.has_weights() && !files.states.steps().empty()) {
    const Index step = files.states.steps().front();
    const bool may_end_there = step > 0 && settings.training.schedule != nn::Schedule::cosine;
    fail("{} is not a complete model: {} is missing; resume its training with the same command{}",
         files.path(), files.weights(),
         may_end_there ? fmt::format(" (with --set training.steps={} it ends at its present step)", step)
                       : "");
  }
  return present(files.path(), files.weights());
}

/// A model and a look-up of rows of its projection, so that a precision keeps what the look-up needs.
struct WithRowsOfProjection : nn::Module {
  explicit WithRowsOfProjection(transformer::EncoderDecoder& whole)
      : model(whole), rows(whole.generator.weight) {}
  void visit(nn::Visitor& visitor) override {
    visitor("model", model);
    visitor("rows", rows);
  }

  transformer::EncoderDecoder& model;
  nn::Embedding rows;
};

}  // namespace

TranslationModel TranslationModel::load(const std::string& directory, const LoadOptions& options) {
  const ModelDirectory files(directory);
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) fail("there is no model directory {}", directory);
  present(files.path(), files.config());
  Settings settings = load_config(directory);
  const MakeModel make = maker_of(settings.model, options.make_model, directory);
  TextEncoding text = load_text_encoding(directory, settings.data);
  const std::string weights_file =
      options.weights.empty() ? present_weights(files, settings) : options.weights;
  transformer::EncoderDecoder model = make(settings, text.vocabularies, Random::none());
  const TrainedSources sources = load_weights(model, weights_file, identity_of(settings, text.vocabularies));
  std::shared_ptr<const VocabularySelection> selection;
  if (!options.selection.empty()) {
    selection = load_selection(options.selection, directory, text.vocabularies);
    WithRowsOfProjection both(model);
    precisions().convert(both, options.precision, weights_file);
  } else {
    precisions().convert(model, options.precision, weights_file);
  }
  model.eval();
  return {std::move(settings),
          std::move(text.vocabularies),
          std::move(text.tokeniser),
          std::move(model),
          sources,
          std::move(selection),
          {}};
}

ParallelCorpus TranslationModel::encode(const ParallelText& as_given) const {
  const std::shared_ptr<const SourceFiles> files = settings.source_files();
  ParallelText rewritten;
  if (rewrite) {
    rewritten = as_given;
    for (std::string& source : rewritten.source) source = rewrite(source);
  }
  const ParallelText& text = rewrite ? rewritten : as_given;
  return translation::encode(
      text, {*tokeniser, vocabularies.source, vocabularies.target, settings.data.max_length, files.get()});
}

bool TranslationModel::takes(std::size_t tokens) const {
  return to_index(tokens) <= settings.data.max_length;
}

void TranslationModel::check_length(std::size_t tokens, const std::string& place) const {
  if (!takes(tokens))
    throw TooLong(fmt::format("{} has {} tokens, but this model takes at most {}; split the sentence", place,
                              tokens, settings.data.max_length));
}

}  // namespace regard::translation
