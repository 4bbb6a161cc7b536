#include "apps/translation/model_directory.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files.h"
#include "autograd/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

namespace {
bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
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
  const auto vocabularies = [&]() -> Vocabularies {
    if (settings.data.joint_vocabulary) {
      const Vocabulary joint = Vocabulary::load(present(files.vocabulary()));
      return {joint, joint};
    }
    return {Vocabulary::load(present(files.source_vocabulary())),
            Vocabulary::load(present(files.target_vocabulary()))};
  }();
  const std::string weights = present(files.weights());
  auto model = make_model(settings, vocabularies, Random::none());
  nn::load_parameters(*model, weights);
  if (!all_finite(*model))
    fail("{} holds values that are no numbers; it is damaged, or the training went astray", weights);
  model->eval();
  auto tokeniser = make_tokeniser(settings.data.tokeniser);
  return {std::move(settings), vocabularies, std::move(tokeniser), std::move(model)};
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
