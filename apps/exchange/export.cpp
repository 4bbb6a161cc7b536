#include "apps/exchange/export.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apps/translation/files/files.h"
#include "apps/translation/files/warning.h"
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

namespace {

constexpr const char* capitals = "data.case";

bool has_value(const translation::Settings& settings, const std::string& place,
               const translation::Json& value) {
  const translation::Values values = values_of(settings);
  const auto found = values.find(place);
  return found != values.end() && found->second == value;
}

}  // namespace

void refuse(const translation::Settings& settings, const std::string& place, const translation::Json& value,
            const std::string& format, const std::string& why) {
  if (has_value(settings, place, value))
    fail("the format {} cannot express this model: {} is {}, but {}", format, place, value.dump(), why);
}

void refuse_capitals(const translation::Settings& settings, const std::string& format) {
  refuse(settings, capitals, "tokens", format,
         "its program neither writes marks in place of capitals nor reads them; export it for ctranslate2 or "
         "pytorch, which are given tokens, or train a model with data.case none");
}

void warn_of_capitals(const translation::Settings& settings) {
  if (has_value(settings, capitals, "tokens"))
    translation::warn(
        "data.case is \"tokens\": the program that cuts texts for this model has to write marks in place of "
        "capitals, and to read them in translations, as regard does");
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

bool begins_with_zero(const std::map<std::string, Tensor>& tensors) {
  const Tensor& embedding = tensors.at("tgt_embed.weight");
  const Tensor row = embedding.view({embedding.size(1)}, translation::special::begin * embedding.size(1));
  return std::ranges::all_of(row.values(), [](Real value) { return value == 0; });
}

translation::Json tokens_of(const translation::Vocabulary& vocabulary) {
  translation::Json tokens = translation::Json::array();
  for (Index id = 0; id < vocabulary.size(); ++id) tokens.push_back(vocabulary.token(id));
  return tokens;
}

void write_subwords(const translation::TranslationModel& model, const std::string& directory) {
  const translation::Vocabularies& vocabularies = model.vocabularies;
  if (model.settings.data.tokeniser == "marian") {
    translation::write_file(directory + "/source.spm", vocabularies.subwords);
    translation::write_file(directory + "/target.spm", vocabularies.target_subwords);
  } else if (!vocabularies.subwords.empty()) {
    translation::write_file(directory + "/subwords.model", vocabularies.subwords);
  }
}

}  // namespace regard::exchange
