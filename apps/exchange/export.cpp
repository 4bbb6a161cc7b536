#include "apps/exchange/export.h"

#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"

namespace regard::exchange {

std::map<std::string, Tensor> named_tensors(translation::TranslationModel& model) {
  std::map<std::string, Tensor> tensors;
  for (const nn::NamedParameter& parameter : model.model.parameters())
    tensors.emplace(parameter.name, parameter.tensor);
  // A tied one is listed once, under its first name.
  tensors.emplace("tgt_embed.weight", tensors.at("src_embed.weight"));
  tensors.emplace("generator.weight", tensors.at("tgt_embed.weight"));
  return tensors;
}

translation::Json tokens_of(const translation::Vocabulary& vocabulary) {
  translation::Json tokens = translation::Json::array();
  for (Index id = 0; id < vocabulary.size(); ++id) tokens.push_back(vocabulary.token(id));
  return tokens;
}

void write_subwords(const translation::TranslationModel& model, const std::string& directory) {
  const translation::Vocabularies& vocabularies = model.vocabularies;
  if (!vocabularies.target_subwords.empty()) {
    translation::write_file(directory + "/source.spm", vocabularies.subwords);
    translation::write_file(directory + "/target.spm", vocabularies.target_subwords);
  } else if (!vocabularies.subwords.empty()) {
    translation::write_file(directory + "/subwords.model", vocabularies.subwords);
  }
}

}  // namespace regard::exchange
