#include "apps/translation/model/translation_model.h"

#include <filesystem>
#include <utility>

#include "apps/translation/model/make_model.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/weights.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

/// Returns the file of the weights. A training that was interrupted early has not written it yet.
std::string present_weights(const ModelDirectory& files, const Settings& settings) {
  if (!files.has_weights() && !files.states().empty()) {
    const Index step = files.states().front();
    const bool may_end_there = step > 0 && settings.training.schedule != nn::Schedule::cosine;
    fail("{} is not a complete model: {} is missing; resume its training with the same command{}",
         files.path(), files.weights(),
         may_end_there ? fmt::format(" (with --set training.steps={} it ends at its present step)", step)
                       : "");
  }
  return files.present(files.weights());
}

}  // namespace

TranslationModel TranslationModel::load(const std::string& directory, const std::string& weights) {
  const ModelDirectory files(directory);
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) fail("there is no model directory {}", directory);
  files.present(files.config());
  Settings settings = files.load_config();
  TextEncoding text = load_text_encoding(directory, settings);
  const std::string weights_file = weights.empty() ? present_weights(files, settings) : weights;
  transformer::EncoderDecoder model = make_model(settings, text.vocabularies, Random::none());
  load_weights(model, weights_file, identity_of(settings, text.vocabularies));
  model.eval();
  return {std::move(settings), std::move(text.vocabularies), std::move(text.tokeniser), std::move(model)};
}

bool TranslationModel::takes(std::size_t tokens) const {
  return to_index(tokens) <= settings.data.max_length;
}

void TranslationModel::check_length(std::size_t tokens, const std::string& place) const {
  if (!takes(tokens))
    fail("{} has {} tokens, but this model takes at most {}; split the sentence", place, tokens,
         settings.data.max_length);
}

}  // namespace regard::translation
