#include "apps/translation/model_directory.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files.h"
#include "apps/translation/subwords.h"
#include "autograd/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {
bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// The vocabulary is that of the pieces, or the ids of the text would not be those of the weights.
void check_same(const Vocabulary& vocabulary, const std::string& path, const SubwordTokeniser& subwords,
                const std::string& subwords_path) {
  const Vocabulary& pieces = subwords.vocabulary();
  if (vocabulary.size() != pieces.size())
    fail("{} does not fit {}: it has {} entries instead of {}", path, subwords_path, vocabulary.size(),
         pieces.size());
  for (std::int64_t id = 0; id < pieces.size(); ++id)
    if (vocabulary.token(id) != pieces.token(id))
      fail("{} does not fit {}: its entry {} is \"{}\" instead of \"{}\"", path, subwords_path, id,
           vocabulary.token(id), pieces.token(id));
}
}  // namespace

std::unique_ptr<transformer::Transformer> make_model(const Settings& settings,
                                                     const Vocabularies& vocabularies, Random random) {
  transformer::Config config = settings.model.config;
  config.source_vocabulary = vocabularies.source.size();
  config.target_vocabulary = vocabularies.target.size();
  return std::make_unique<transformer::Transformer>(config, random);
}

TranslationModel TranslationModel::load(const std::string& directory) {
  const ModelDirectory files(directory);
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) fail("there is no model directory {}", directory);
  const auto present = [&](const std::string& file) -> const std::string& {
    if (!exists(file))
      fail("{} is no complete model: {} is missing; train it with regard train", directory, file);
    return file;
  };
  Settings settings =
      parse_settings(parse_json(read_file(present(files.config())), files.config()), files.config());
  const bool with_subwords = settings.data.tokeniser == "sentencepiece";
  auto vocabularies = [&]() -> Vocabularies {
    if (settings.data.joint_vocabulary || with_subwords) {
      const Vocabulary joint = Vocabulary::load(present(files.vocabulary()));
      return {joint, joint};
    }
    return {Vocabulary::load(present(files.source_vocabulary())),
            Vocabulary::load(present(files.target_vocabulary()))};
  }();
  std::unique_ptr<Tokeniser> tokeniser;
  if (with_subwords) {
    vocabularies.subwords = read_file(present(files.subwords()));
    auto subwords = std::make_unique<SubwordTokeniser>(vocabularies.subwords, files.subwords());
    check_same(vocabularies.source, files.vocabulary(), *subwords, files.subwords());
    tokeniser = std::move(subwords);
  } else {
    tokeniser = make_tokeniser(settings.data.tokeniser);
  }
  const std::string weights = present(files.weights());
  auto model = make_model(settings, vocabularies, Random::none());
  nn::load_parameters(*model, weights);
  if (!all_finite(*model))
    fail("{} holds values that are no numbers; it is damaged, or the training went astray", weights);
  model->eval();
  return {std::move(settings), std::move(vocabularies), std::move(tokeniser), std::move(model)};
}

void ModelDirectory::create(const Settings& settings, const Vocabularies& vocabularies,
                            IfPresent if_present) const {
  if ((exists(config()) || exists(weights())) && if_present == IfPresent::refuse)
    fail("{} holds a model already; give another directory, or --overwrite to replace it", path_);
  make_directories(path_);
  nn::write_file(config(), {dump_json(to_json(settings), config())});
  // Not before: where nothing can be written, the old model stays whole.
  remove_file(weights());
  remove_file(metrics());
  if (settings.data.joint_vocabulary) {
    vocabularies.source.save(vocabulary());
  } else {
    vocabularies.source.save(source_vocabulary());
    vocabularies.target.save(target_vocabulary());
  }
  if (vocabularies.subwords.empty())
    remove_file(subwords());  // of the model that is replaced
  else
    nn::write_file(subwords(), {vocabularies.subwords});
  nn::write_file(metrics(), {});
}

void ModelDirectory::save_weights(transformer::Transformer& model) const {
  nn::save_safetensors(weights(), model.parameters());
}

bool all_finite(transformer::Transformer& model) {
  for (const nn::NamedParameter& parameter : model.parameters())
    for (const Real value : parameter.tensor.values())
      if (!std::isfinite(value)) return false;
  return true;
}

}  // namespace regard::translation
