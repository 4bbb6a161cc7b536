#include "apps/translation/model_directory.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/translation/files.h"
#include "autograd/error.h"
#include "nn/safetensors.h"

namespace regard::translation {

std::unique_ptr<transformer::Transformer> make_model(const Settings& settings,
                                                     const Vocabularies& vocabularies) {
  transformer::Config config = settings.model.config;
  config.source_vocabulary = vocabularies.source.size();
  config.target_vocabulary = vocabularies.target.size();
  Random random(static_cast<std::uint64_t>(settings.training.seed));
  return std::make_unique<transformer::Transformer>(config, random);
}

TranslationModel TranslationModel::load(const std::string& directory) {
  const ModelDirectory files(directory);
  if (!std::filesystem::is_directory(directory)) fail("there is no model directory {}", directory);
  for (const std::string& file : {files.config(), files.weights()})
    if (!std::filesystem::exists(file))
      fail("{} is no complete model: {} is missing; train it with regard train", directory, file);
  Settings settings = parse_settings(parse_json(read_file(files.config()), files.config()), files.config());
  const auto vocabularies = [&]() -> Vocabularies {
    if (settings.data.joint_vocabulary) {
      const Vocabulary joint = Vocabulary::load(files.vocabulary());
      return {joint, joint};
    }
    return {Vocabulary::load(files.source_vocabulary()), Vocabulary::load(files.target_vocabulary())};
  }();
  auto model = make_model(settings, vocabularies);
  nn::load_parameters(*model, files.weights());
  model->eval();
  auto tokeniser = make_tokeniser(settings.data.tokeniser);
  return {std::move(settings), vocabularies, std::move(tokeniser), std::move(model)};
}

void ModelDirectory::create(const Settings& settings, const Vocabularies& vocabularies,
                            IfPresent if_present) const {
  if (has_weights() && if_present == IfPresent::refuse)
    fail("{} holds a trained model already; give another directory, or --overwrite to replace it", path_);
  make_directories(path_);
  std::filesystem::remove(weights());
  std::filesystem::remove(metrics());
  nn::write_file(config(), {dump_json(to_json(settings), config())});
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

bool ModelDirectory::has_weights() const { return std::filesystem::exists(weights()); }

}  // namespace regard::translation
