#include "apps/exchange/export.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"

namespace regard::exchange {

const Expressible of_transformers{{"model.own", {""}},
                                  {"model.encoder", {"transformer"}},
                                  {"model.decoder", {"transformer"}},
                                  {"model.norm", {"post", "pre"}},
                                  {"model.residual", {"true"}},
                                  {"model.positions.kind", {"sinusoidal", "learned", "none"}},
                                  {"model.positions.use", {"added"}},
                                  {"model.multi_head.normaliser", {"softmax"}},
                                  {"model.multi_head.shared_key_value", {"false"}}};

void check_expressible(const translation::Settings& settings, const Expressible& expressible,
                       const std::string& format) {
  const translation::Values values = values_of(settings);
  for (const auto& [place, possible] : expressible) {
    const translation::Json& value = values.at(place);
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (std::ranges::count(possible, text) == 0)
      fail("the format {} cannot express this model: {} is \"{}\", and it knows only \"{}\"", format, place,
           text, fmt::join(possible, "\", \""));
  }
}

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
